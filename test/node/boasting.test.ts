import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { TestClock } from '../support/clock.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { type Gateway, ask, openGateway, readMetrics } from '../support/gateway.ts'
import { type GrownLedger, growLedger } from '../support/grown-ledger.ts'
import { until } from '../support/until.ts'

/* Nodes that count blocks which nobody else has. */

const LIE = '340282366920938463463374607431768211455'

/** Claims more blocks than it has and a fortune for everybody; its blocks themselves are real. */
function boast(node: FaultyNode, lead: () => number = () => 900_000): void {
  node.lie('block_count', (answer) => {
    const count = String(Number(answer.cemented) + lead())
    return { ...answer, count, cemented: count }
  })
  node.lie('account_balance', (answer) => ({ ...answer, balance: LIE }))
}

async function openNodes(t: TestContext, count: number): Promise<{ ledgers: GrownLedger; nodes: FaultyNode[] }> {
  const ledgers = await growLedger(t, 4)
  const { current: ledger, older } = ledgers
  const nodes: FaultyNode[] = []
  for (let at = 0; at < count; at++) nodes.push(await FaultyNode.start(t, { ledger, older }))
  return { ledgers, nodes }
}

const openBefore = (t: TestContext, nodes: readonly FaultyNode[], clock = new TestClock()) =>
  openGateway(t, { NODE_URLS: nodes.map(({ url }) => url).join(','), NODE_NETWORK: 'dev', CACHE_BYTES_MAX: '0' }, clock)

const statesOf = ({ app }: Gateway) => app.nodes.pool.upstreams.map(({ state }) => state)

/** Every account, so that each node would have its share. */
async function assertTrueBalances(gateway: Gateway, { current, signers }: GrownLedger): Promise<void> {
  for (const { key, address } of signers) {
    const { balance } = (await gateway.call('account_balance', { account: address })).json()
    assert.equal(balance, current.node.ledger.store.findAccount(key)!.balance.toString())
  }
}

test('a good node beside one that claims 900,000 more blocks was put out, and balances came from the liar', async (t) => {
  const { ledgers, nodes } = await openNodes(t, 2)
  boast(nodes[1]!)
  const gateway = await openBefore(t, nodes)
  assert.deepEqual(statesOf(gateway), ['well', 'suspect'])
  await assertTrueBalances(gateway, ledgers)
  assert.equal(nodes[1]!.hits('account_balance'), 0)
  assert.equal((await ask(`${gateway.url}/health/ready`, { method: 'GET' })).status, 200)
  assert.match(gateway.log(), /"event":"node_state","upstream":"node-2","state":"suspect"/)
  const metrics = await readMetrics(gateway)
  assert.match(metrics, /gateway_upstream_state_changes_total\{upstream="node-2",state="suspect"\} 1/)
  assert.match(metrics, /gateway_upstream_healthy\{upstream="node-1"\} 1/)
})

test('a lead that grows little by little puts nobody out but the liar, who serves nothing even when the good node is away', async (t) => {
  const { ledgers, nodes } = await openNodes(t, 2)
  const clock = new TestClock()
  let lead = 0
  boast(nodes[1]!, () => lead)
  const gateway = await openBefore(t, nodes, clock)
  const { pool } = gateway.app.nodes
  const [good, liar] = pool.upstreams
  const look = async () => {
    const { looks } = pool
    clock.advance(3_000)
    await until(() => pool.looks > looks)
  }
  for (lead = 90; lead <= 1_800; lead += 90) {
    await look()
    assert.deepEqual([good!.state, liar!.state], ['well', lead > 500 ? 'suspect' : 'well'], `at a lead of ${lead}`)
  }
  await assertTrueBalances(gateway, ledgers)
  await nodes[0]!.behave('dead')
  await look()
  assert.equal(good!.state, 'failing')
  nodes[1]!.forgetHits()
  const account = ledgers.signers[0]!.address
  assert.equal((await gateway.call('account_balance', { account })).status, 502)
  assert.equal(nodes[1]!.hits('account_balance'), 0)
  nodes[1]!.beHonest()
  await nodes[0]!.behave('none')
  await look()
  assert.deepEqual(statesOf(gateway), ['well', 'well'])
})

test('a liar that shows blocks it made up is not believed: nobody signed them', async (t) => {
  const { ledgers, nodes } = await openNodes(t, 2)
  boast(nodes[1]!)
  const invented = Array.from({ length: 600 }, (_, at) => at.toString(16).toUpperCase().padStart(64, '0'))
  nodes[1]!.lie('confirmation_history', () => ({ confirmations: invented.map((hash) => ({ hash })) }))
  nodes[1]!.lie('blocks_info', (_answer, body) => {
    const { hashes } = JSON.parse(body) as { hashes: string[] }
    const [signer] = ledgers.signers
    const contents = {
      type: 'state',
      account: signer!.address,
      previous: '0'.repeat(64),
      representative: signer!.address,
      balance: '1',
      link: 'F'.repeat(64),
      signature: 'A'.repeat(128),
      work: 'f'.repeat(16),
    }
    return { blocks: Object.fromEntries(hashes.map((hash) => [hash, { confirmed: 'true', contents }])) }
  })
  const gateway = await openBefore(t, nodes)
  assert.deepEqual(statesOf(gateway), ['well', 'suspect'])
  await assertTrueBalances(gateway, ledgers)
})

test('two good nodes outvote a liar, and a node that is really behind is still put out', async (t) => {
  const { ledgers, nodes } = await openNodes(t, 3)
  boast(nodes[0]!)
  assert.deepEqual(statesOf(await openBefore(t, nodes)), ['suspect', 'well', 'well'])
  nodes[0]!.beHonest()
  await nodes[2]!.behave('lagging')
  const gateway = await openBefore(t, nodes)
  assert.deepEqual(statesOf(gateway), ['well', 'well', 'behind'])
  await assertTrueBalances(gateway, ledgers)
})

test('of two nodes the one that is really behind is put out: by the blocks that it lacks, or by its own word', async (t) => {
  const { ledgers, nodes } = await openNodes(t, 2)
  await nodes[1]!.behave('lagging')
  const gateway = await openBefore(t, nodes)
  assert.deepEqual(statesOf(gateway), ['well', 'behind'])
  await assertTrueBalances(gateway, ledgers)
  // The good one shows nothing now, but the one that is behind has heard from its peers how far they are.
  nodes[0]!.lie('confirmation_history', () => ({ error: 'Unknown command' }))
  nodes[1]!.lie('telemetry', (answer) => ({ ...answer, cemented_count: '1000100' }))
  assert.deepEqual(statesOf(await openBefore(t, nodes)), ['well', 'behind'])
})

test('a node that is alone is believed, whatever it counts', async (t) => {
  const { nodes } = await openNodes(t, 1)
  nodes[0]!.lie('block_count', (answer) => ({ ...answer, cemented: '999999999' }))
  assert.deepEqual(statesOf(await openBefore(t, nodes)), ['well'])
})
