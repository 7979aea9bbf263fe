import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { give } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { type Gateway, ask, openGateway, readMetrics } from '../support/gateway.ts'
import { type GrownLedger, growLedger } from '../support/grown-ledger.ts'
import { until } from '../support/until.ts'

/* Nodes that claim more blocks than exist. */

const LIE = '340282366920938463463374607431768211455'

/** Claims more blocks than it has and a huge balance for everybody; its blocks are real. */
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

const openBefore = (t: TestContext, nodes: readonly { url: string }[], clock = new TestClock(), env = {}) =>
  openGateway(
    t,
    { NODE_URLS: nodes.map(({ url }) => url).join(','), NODE_NETWORK: 'dev', CACHE_BYTES_MAX: '0', ...env },
    clock,
  )

/** Waits for the next check of all nodes to finish. */
async function look({ app }: Gateway, clock: TestClock): Promise<void> {
  const { pool } = app.nodes
  const { looks } = pool
  clock.advance(3_000)
  await until(() => pool.looks > looks)
}

const statesOf = ({ app }: Gateway) => app.nodes.pool.upstreams.map(({ state }) => state)

/** Enough accounts for each node to be asked about some. */
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

test('a slowly growing false lead excludes only the liar, which serves nothing even while the good node is down', async (t) => {
  const { ledgers, nodes } = await openNodes(t, 2)
  const clock = new TestClock()
  let lead = 0
  boast(nodes[1]!, () => lead)
  const gateway = await openBefore(t, nodes, clock)
  const { pool } = gateway.app.nodes
  const [good, liar] = pool.upstreams
  for (lead = 90; lead <= 1_800; lead += 90) {
    await look(gateway, clock)
    assert.deepEqual([good!.state, liar!.state], ['well', lead > 500 ? 'suspect' : 'well'], `at a lead of ${lead}`)
  }
  await assertTrueBalances(gateway, ledgers)
  await nodes[0]!.behave('dead')
  await look(gateway, clock)
  assert.equal(good!.state, 'failing')
  nodes[1]!.forgetHits()
  const account = ledgers.signers[0]!.address
  assert.equal((await gateway.call('account_balance', { account })).status, 502)
  assert.equal(nodes[1]!.hits('account_balance'), 0)
  nodes[1]!.beHonest()
  await nodes[0]!.behave('none')
  await look(gateway, clock)
  assert.deepEqual(statesOf(gateway), ['well', 'well'])
})

test('a liar that shows invented blocks is ignored: they are not signed', async (t) => {
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
  // The good node does not answer this now, but the stale one knows from its peers how far they are.
  nodes[0]!.lie('confirmation_history', () => ({ error: 'Unknown command' }))
  nodes[1]!.lie('telemetry', (answer) => ({ ...answer, cemented_count: '1000100' }))
  assert.deepEqual(statesOf(await openBefore(t, nodes)), ['well', 'behind'])
})

test('a single node is trusted, whatever block count it reports', async (t) => {
  const { nodes } = await openNodes(t, 1)
  nodes[0]!.lie('block_count', (answer) => ({ ...answer, cemented: '999999999' }))
  assert.deepEqual(statesOf(await openBefore(t, nodes)), ['well'])
})

/** Evasive answers of a stale node that is asked for the missing blocks. */
const EVASIONS: Record<string, Parameters<FaultyNode['lie']>[1]> = {
  'does not know blocks_info': () => ({ error: 'Unknown command' }),
  'answers blocks_info with an error': () => ({ error: 'Block not found' }),
  'answers blocks_info with something else': () => ({ message: 'Have you tried our premium plan?' }),
  'says that it lacks no block': (answer) => ({ ...answer, blocks_not_found: [] }),
}

/** The first node's block count grows as far as the claimed lead, while the second stands still and evades. */
function fallBehind([good, stale]: readonly FaultyNode[], evasion: string, lead: () => number): Promise<void> {
  good!.lie('block_count', (answer) => ({ ...answer, cemented: String(Number(answer.cemented) + lead()) }))
  stale!.lie('blocks_info', EVASIONS[evasion]!)
  return stale!.behave('stuck')
}

for (const evasion of Object.keys(EVASIONS)) {
  test(`a node that got stuck and ${evasion} put the good one out and served old balances`, async (t) => {
    const { ledgers, nodes } = await openNodes(t, 2)
    const clock = new TestClock()
    const gateway = await openBefore(t, nodes, clock)
    let lead = 0
    await fallBehind(nodes, evasion, () => lead)
    for (lead = 90; lead <= 1_800; lead += 90) {
      await look(gateway, clock)
      assert.deepEqual(statesOf(gateway), ['well', lead > 500 ? 'behind' : 'well'], `at a lead of ${lead}`)
    }
    nodes[1]!.forgetHits()
    await assertTrueBalances(gateway, ledgers)
    assert.equal(nodes[1]!.hits('account_balance'), 0)
  })

  test(`beside a node that ${evasion}, one that leaps by 900,000 blocks is still the suspect`, async (t) => {
    const { ledgers, nodes } = await openNodes(t, 2)
    const clock = new TestClock()
    nodes[0]!.lie('blocks_info', evasion.startsWith('says') ? () => ({ blocks_not_found: [] }) : EVASIONS[evasion]!)
    boast(nodes[1]!)
    const gateway = await openBefore(t, nodes, clock)
    assert.deepEqual(statesOf(gateway), ['well', 'suspect'], 'at the first look')
    // Then it grows like a normal node, for longer than the result of a contest is valid.
    let lead = 900_000
    boast(nodes[1]!, () => (lead += 10))
    for (let looks = 0; looks < 15; looks++) await look(gateway, clock)
    assert.deepEqual(statesOf(gateway), ['well', 'suspect'], 'later')
    nodes[1]!.beHonest()
    await look(gateway, clock)
    assert.deepEqual(statesOf(gateway), ['well', 'well'])
    boast(nodes[1]!)
    await look(gateway, clock)
    assert.deepEqual(statesOf(gateway), ['well', 'suspect'], 'after it was well')
    await assertTrueBalances(gateway, ledgers)
  })
}

for (const hiding of [1, 2]) {
  test(`a lead that grows little by little is no match for two nodes that count alike, when ${hiding} of them hide blocks_info`, async (t) => {
    const { ledgers, nodes } = await openNodes(t, 3)
    const clock = new TestClock()
    for (const node of nodes.slice(0, hiding)) node.lie('blocks_info', EVASIONS['does not know blocks_info']!)
    let lead = 0
    boast(nodes[2]!, () => lead)
    const gateway = await openBefore(t, nodes, clock)
    for (lead = 90; lead <= 1_800; lead += 90) {
      await look(gateway, clock)
      assert.deepEqual(statesOf(gateway), ['well', 'well', lead > 500 ? 'suspect' : 'well'], `at a lead of ${lead}`)
    }
    await assertTrueBalances(gateway, ledgers)
  })
}

test('after a start, a fallback that is stuck and hides blocks_info put the primary out; a fallback that claims to be ahead does not', async (t) => {
  const { nodes } = await openNodes(t, 2)
  await fallBehind(nodes, 'does not know blocks_info', () => 1_800)
  const [ahead, stale] = nodes.map(({ url }) => url)
  const primaryAhead = await openBefore(t, [{ url: ahead! }, { url: `${stale}#role=fallback` }])
  assert.deepEqual(statesOf(primaryAhead), ['well', 'behind'])
  const fallbackAhead = await openBefore(t, [{ url: `${ahead}#role=fallback` }, { url: stale! }])
  assert.deepEqual(statesOf(fallbackAhead), ['suspect', 'well'])
})

test('a good node that was too slow once to show its blocks is back with the next look, also beside a stuck one that hides blocks_info', async (t) => {
  const { nodes } = await openNodes(t, 2)
  const clock = new TestClock()
  const gateway = await openBefore(t, nodes, clock)
  await fallBehind(nodes, 'does not know blocks_info', () => 550)
  const { pool } = gateway.app.nodes
  const release = nodes[0]!.hold('confirmation_history')
  clock.advance(3_000)
  await until(() => nodes[0]!.hits('confirmation_history') > 0)
  const { looks } = pool
  clock.advance(2_000)
  await until(() => pool.looks > looks)
  assert.equal(pool.upstreams[0]!.state, 'suspect')
  release()
  await look(gateway, clock)
  assert.deepEqual(statesOf(gateway), ['well', 'behind'])
})

for (const action of ['confirmation_history', 'blocks_info']) {
  test(`a good node whose connection broke once when it was to show its blocks (${action}) was put out for 30 seconds`, async (t) => {
    const { nodes } = await openNodes(t, 2)
    const clock = new TestClock()
    const gateway = await openBefore(t, nodes, clock)
    const [good, stale] = nodes
    good!.lie('block_count', (answer) => ({ ...answer, cemented: String(Number(answer.cemented) + 550) }))
    await stale!.behave('stuck')
    await good!.behave('reply lost', { actions: [action] })
    await look(gateway, clock)
    assert.equal(statesOf(gateway)[0], 'suspect')
    await good!.behave('none')
    await look(gateway, clock)
    assert.deepEqual(statesOf(gateway), ['well', 'behind'])
  })
}

test('a node that had proven its lead once leaped by 900,000 blocks, was too slow to show them, and put the good one out', async (t) => {
  const { ledgers, nodes } = await openNodes(t, 2)
  const clock = new TestClock()
  await nodes[0]!.behave('lagging')
  const gateway = await openBefore(t, nodes, clock)
  assert.deepEqual(statesOf(gateway), ['behind', 'well'])
  await nodes[0]!.behave('none')
  for (let passed = 0; passed < 60_000; passed += 3_000) await look(gateway, clock)
  assert.deepEqual(statesOf(gateway), ['well', 'well'])
  boast(nodes[1]!)
  nodes[1]!.forgetHits()
  nodes[1]!.hold('confirmation_history')
  const { looks } = gateway.app.nodes.pool
  clock.advance(3_000)
  await until(() => nodes[1]!.hits('confirmation_history') > 0)
  clock.advance(2_000)
  await until(() => gateway.app.nodes.pool.looks > looks)
  assert.deepEqual(statesOf(gateway), ['well', 'suspect'])
  await assertTrueBalances(gateway, ledgers)
})

test('a node that had proven its lead was excluded for each new check, every 30 seconds, and old balances were served', async (t) => {
  const { ledgers, nodes } = await openNodes(t, 2)
  const clock = new TestClock()
  await nodes[1]!.behave('lagging')
  const gateway = await openBefore(t, nodes, clock)
  assert.deepEqual(statesOf(gateway), ['well', 'behind'])
  for (const node of nodes) node.forgetHits()
  const release = nodes[1]!.hold('blocks_info')
  for (let passed = 3_000; passed < 30_000; passed += 3_000) await look(gateway, clock)
  assert.equal(nodes[1]!.hits('blocks_info'), 0)
  clock.advance(3_000)
  await until(() => nodes[1]!.hits('blocks_info') > 0)
  assert.deepEqual(statesOf(gateway), ['well', 'behind'])
  await assertTrueBalances(gateway, ledgers)
  assert.equal(nodes[1]!.hits('account_balance'), 0)
  const { pool } = gateway.app.nodes
  const { looks } = pool
  release()
  await until(() => pool.looks > looks)
  assert.deepEqual(statesOf(gateway), ['well', 'behind'])
})

test('a confirmation that came while a node was asked for proof was lost; now it is reported once the node is cleared', async (t) => {
  const { ledgers, nodes } = await openNodes(t, 2)
  const { current, signers } = ledgers
  const clock = new TestClock()
  const gateway = await openBefore(t, nodes, clock, { NODE_WS_URLS: `${current.wsUrl},` })
  const { confirmations, pool } = gateway.app.nodes
  await until(() => confirmations.connected)
  const told: string[] = []
  confirmations.listen(({ hash }) => told.push(hash))
  await nodes[1]!.behave('stuck')
  nodes[0]!.lie('block_count', (answer) => ({ ...answer, cemented: String(Number(answer.cemented) + 1_800) }))
  const release = nodes[1]!.hold('blocks_info')
  clock.advance(3_000)
  await until(() => nodes[1]!.hits('blocks_info') > 0)
  assert.equal(pool.upstreams[0]!.state, 'suspect')
  const hash = await give(current.node, signers[0]!.key, 1n as never)
  await until(() => pool.upstreams[0]!.announced.includes(hash))
  assert.equal(told.length, 0)
  release()
  await until(() => told.includes(hash))
  assert.deepEqual(statesOf(gateway), ['well', 'behind'])
})
