import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFolder } from '../support/folder.ts'
import { until } from '../support/until.ts'
import { spawnCli, start } from './process.ts'

test('a first start that is stopped before it listens ends with 0, so that no service manager calls it a failure', async (t) => {
  const folder = openFolder(t)
  const env = { DATA_DIR: folder, PORT: '0', METRICS_PORT: '0', WORK_THREADS: '0', PRICE_PROVIDERS: 'sandbox' }
  const { child, ended } = spawnCli(t, ['start'], env)
  await until(() => existsSync(join(folder, 'gateway.db')))
  child.kill('SIGTERM')
  const { code, errors } = await ended
  assert.deepEqual([code, errors], [0, ''])
  // The next start finds whatever the first one has written.
  const next = await start(t, env)
  assert.equal((await next.stop()).code, 0)
})
