import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { TYPESCRIPT } from '../support/typescript.ts'

/** Cuts a connection while it is closing. */
const CUT = `
  import { connect, createServer } from 'node:net'
  import { reset } from './test/support/tcp-relay.ts'
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1', () => {
    const client = connect(server.address().port, '127.0.0.1', () => {
      client.end()
      reset(client)
      server.close()
    })
    client.on('error', () => {})
  })
`

test('a line that is cut while one of its ends hangs up does not keep the process from its exit', () => {
  const root = resolve(import.meta.dirname, '../..')
  const { status, signal, stderr } = spawnSync(
    process.execPath,
    [...TYPESCRIPT, '--input-type=module', '--eval', CUT],
    { cwd: root, timeout: 60_000, encoding: 'utf8', env: { ...process.env, NODE_TEST_CONTEXT: undefined } },
  )
  assert.deepEqual([status, signal], [0, null], stderr)
})
