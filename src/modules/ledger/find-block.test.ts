import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../../../test/support/blocks.ts'
import { openGateway } from '../../../test/support/gateway.ts'
import { newHash } from '../../../test/support/random.ts'
import { openRecordingNode } from '../../../test/support/recording-node.ts'

test('find_block looks no further back than COUNT_MAX, however long a history is', async (t) => {
  const node = await openRecordingNode(t, ({ action }) =>
    action === 'account_history' ? { history: [], previous: newHash() } : { blocks: '' },
  )
  const gateway = await openGateway(t, { NODE_URLS: node.url, COUNT_MAX: '400' })
  const reply = await gateway.call('find_block', { address: new Signer(1).address, amount: '1' })
  assert.deepEqual([reply.status, reply.json().error], [200, 'Payment not found.'])
  const asked = node.requests.filter(({ action }) => action === 'receivable' || action === 'account_history')
  const counts = asked.map(({ action, count }) => `${action} ${String(count)}`)
  assert.deepEqual(counts, ['receivable 400', 'account_history 200', 'account_history 200'])
})
