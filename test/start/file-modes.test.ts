import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { run, start } from './process.ts'
import { openFolder } from '../support/folder.ts'

/* The gateway's files must be readable by their owner only, whatever the umask. */

const OPEN_UMASK = '000'
const modes = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]))

function assertPrivate(folder: string, wanted: string[]): void {
  assert.equal((statSync(folder).mode & 0o777).toString(8), '700')
  const found = modes(folder)
  for (const name of wanted) assert.ok(name in found, `${name} is there, beside ${Object.keys(found).join(', ')}`)
  for (const [name, mode] of Object.entries(found)) assert.equal(mode, '600', name)
}

test('money and keys cannot be read by everybody on the machine, in a new folder and in one that an earlier version left open', async (t) => {
  const folder = join(openFolder(t), 'data')
  const env = { DATA_DIR: folder, LOG_LEVEL: 'error' }
  const kept = [
    'gateway.db',
    'gateway.db-wal',
    'gateway.db-shm',
    'devnet.db',
    'devnet.json',
    'secret.key',
    'wallet-keys',
  ]
  const first = await start(t, env, OPEN_UMASK)
  assertPrivate(folder, [...kept, 'administrator.key'])
  await first.kill()
  // As 0.1 left them, including the journal of a killed process.
  chmodSync(folder, 0o755)
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644)
  const second = await start(t, env, OPEN_UMASK)
  assertPrivate(folder, kept)
  const backup = join(folder, '..', 'backup.db')
  assert.equal((await run(t, ['backup', backup], env, OPEN_UMASK)).code, 0)
  assert.equal((statSync(backup).mode & 0o777).toString(8), '600')
  await second.stop()
})

test('a store at another path is as private, and the folder that was there is left as it is', async (t) => {
  const folder = openFolder(t)
  const place = join(folder, 'shared')
  mkdirSync(place)
  chmodSync(place, 0o755)
  const env = { DATA_DIR: join(folder, 'data'), DATABASE_URL: `sqlite:${join(place, 'shop.db')}`, LOG_LEVEL: 'error' }
  const gateway = await start(t, env, OPEN_UMASK)
  assert.deepEqual(modes(place), { 'shop.db': '600', 'shop.db-shm': '600', 'shop.db-wal': '600' })
  assert.equal((statSync(place).mode & 0o777).toString(8), '755')
  await gateway.stop()
})
