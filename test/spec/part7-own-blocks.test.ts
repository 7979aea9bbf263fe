import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parseNano } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { give } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { ask, openGateway, readMetrics } from '../support/gateway.ts'
import { SHOP, clientWith } from '../support/wallet-client.ts'

/* The gateway's own blocks, when nodes refuse them. */

/** A gateway set to the development network's work, with a ledger that requires that of the live network. */
async function openBeforeLiveWork(t: TestContext, { hidden }: { hidden: boolean }) {
  const ledger = await openDevnet(t, { thresholds: WORK_THRESHOLDS.live })
  const node = await FaultyNode.start(t, { ledger })
  if (hidden) await node.behave('rate limit', { actions: ['active_difficulty'] })
  const gateway = await openGateway(t, {
    NODE_URLS: node.url,
    NODE_WS_URLS: ledger.wsUrl,
    NODE_NETWORK: 'dev',
    WORK_THREADS: '1',
    WORK_NODES: 'false',
    WALLET_SENDS: 'true',
  })
  return { ledger, node, gateway }
}

test('NODE_NETWORK=dev before a ledger that wants live work was called ready: the thresholds are compared', async (t) => {
  const { gateway, node } = await openBeforeLiveWork(t, { hidden: false })
  const { status, reason } = (await ask(`${gateway.url}/health/ready`, { method: 'GET' })).json()
  assert.equal(status, 'not ready')
  assert.match(reason!, /asks for more work than we compute: fffffff800000000 for a send/)
  assert.equal((await gateway.call('account_balance', { account: SHOP })).status, 502)
  assert.equal(node.hits('account_balance'), 0)
})

test('502 publish_refused at once, with the words of the node, when it refuses a block of a wallet: not 25 seconds and "unknown"; the block is kept and is always the same (contract 4.2, rule 14; 7, Texts and codes: block of a wallet refused by the node)', async (t) => {
  const { ledger, gateway, node } = await openBeforeLiveWork(t, { hidden: true })
  const client = clientWith(gateway, gateway.app.createdKey!)
  const account = await client.create()
  await give(ledger.node, fromAddress(account)!, parseNano('5')!)
  const refused = await client.call({ receive: true, account })
  const { code, error, hash, node_error } = refused.json()
  assert.deepEqual([refused.status, code, node_error], [502, 'publish_refused', 'Block work is less than threshold'])
  assert.match(error!, /^The node refused the block: Block work is less than threshold\./)
  const { db } = gateway.app.store
  const blocks = await db.selectFrom('wallet_blocks').select(['status', 'hash']).execute()
  assert.deepEqual(blocks, [{ status: 'signed', hash }])
  const again = await client.call({ receive: true, account })
  assert.deepEqual([again.status, again.json().hash], [502, hash])
  // A block's hash does not depend on its work.
  const signed = node.bodies('process').map((body) => (JSON.parse(body) as { block: { signature: string } }).block)
  assert.equal(new Set(signed.map(({ signature }) => signature)).size, 1)
  assert.match(gateway.log(), /"event":"block_refused","kind":"work".*"words":"Block work is less than threshold"/)
  assert.match(gateway.log(), /"event":"wallet_alarm","kind":"refused"/)
  const metrics = await readMetrics(gateway)
  assert.match(metrics, /gateway_own_block_refusals_total\{kind="work"\} [1-9]/)
  assert.match(metrics, /gateway_wallet_alarms_total\{kind="refused"\} 1/)
})
