import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFolder } from '../support/folder.ts'
import { PostgresServer, query } from '../support/postgres.ts'

test('in a copy of a checkout that has run its tests, no test found a database server', async (t) => {
  const [first, copied] = [join(openFolder(t), 'kept'), join(openFolder(t), 'kept')]
  const laid = await PostgresServer.create(first)
  laid.remove()
  execFileSync('cp', ['-r', first, copied])
  const server = await PostgresServer.create(copied)
  t.after(() => server.remove())
  await server.start()
  assert.deepEqual(await query(`${server.url}/postgres`, 'select 1 as one'), [{ one: 1 }])
})
