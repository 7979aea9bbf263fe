import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../../../test/support/blocks.ts'
import { openGateway } from '../../../test/support/gateway.ts'

test('who represents nobody is not found, in words and with status 200 (contract 4.1, rule 27; 7, Texts and codes: rep_info without result)', async (t) => {
  const gateway = await openGateway(t)
  const reply = await gateway.call('rep_info', { account: new Signer(7).address })
  assert.deepEqual([reply.status, reply.json()], [200, { error: 'Representative not found.' }])
})

test('without a node there is no list, and the answer says so', async (t) => {
  const gateway = await openGateway(t, { NODE_URLS: 'http://127.0.0.1:1' })
  const reply = await gateway.call('reps')
  assert.deepEqual([reply.status, reply.json().code], [502, 'no_node'])
})
