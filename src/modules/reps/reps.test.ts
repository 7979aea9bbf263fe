import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGateway } from '../../../test/support/gateway.ts'

test('without a node there is no list, and the answer says so', async (t) => {
  const gateway = await openGateway(t, { NODE_URLS: 'http://127.0.0.1:1' })
  const reply = await gateway.call('reps')
  assert.deepEqual([reply.status, reply.json().code], [502, 'no_node'])
})
