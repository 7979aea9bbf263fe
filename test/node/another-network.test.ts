import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { genesisOf } from '../../src/devnet/genesis.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { openDashboard } from '../pages/dashboard-steps.ts'
import { NO_WORK, Signer, UNOPENED, give, nano, openAccount } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { openDevnet } from '../support/devnet.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { type Gateway, ask, openGateway, readMetrics } from '../support/gateway.ts'
import { until } from '../support/until.ts'

/* Nodes with the ledger of another network, and nodes that do not say which network they are on. */

const alice = new Signer(1)

const stateOf = ({ app }: Gateway, at = 0) => app.nodes.pool.upstreams[at]!.state
const readinessOf = async ({ url }: Gateway) => (await ask(`${url}/health/ready`, { method: 'GET' })).json()
const balanceOf = ({ call }: Gateway) => call('account_balance', { account: alice.address })

/** A ledger where Alice has some nano, behind a node that can be made to misbehave. */
async function openNode(t: TestContext, amount: number, options: Parameters<typeof openDevnet>[1] = {}) {
  const ledger = await openDevnet(t, { thresholds: NO_WORK, ...options })
  await openAccount(ledger.node, alice, nano(amount))
  return { ledger, node: await FaultyNode.start(t, { ledger }) }
}

test('NODE_NETWORK=live and a node of the dev network: the gateway called itself ready; now it serves nothing and says why', async (t) => {
  const { ledger, node } = await openNode(t, 5)
  const env = { NODE_URLS: `${node.url}#name=wrong`, NODE_WS_URLS: ledger.wsUrl, NODE_NETWORK: 'live' }
  const gateway = await openGateway(t, env)
  assert.equal(stateOf(gateway), 'foreign')
  const { status, reason } = await readinessOf(gateway)
  assert.equal(status, 'not ready')
  assert.match(reason!, /wrong is not used, because it is on the network "dev", and we are on live/)
  assert.deepEqual([(await balanceOf(gateway)).status, (await balanceOf(gateway)).json().code], [502, 'no_node'])
  const block = alice.receive(UNOPENED, 'A'.repeat(64), nano(1))
  const { type, previous, signature, work, link } = block
  const json = { type, previous, signature, work, link, account: alice.address, balance: `${block.balance}` }
  const published = await gateway.call('process', { block: { ...json, representative: alice.address } })
  assert.notEqual(published.status, 200)
  assert.deepEqual([node.hits('account_balance'), node.hits('process'), node.hits('work_generate')], [0, 0, 0])
  assert.equal(gateway.app.nodes.confirmations.connected, false)
  assert.ok(gateway.app.work.engines.every(({ usable }) => !usable))
  assert.match(gateway.log(), /"event":"node_state","upstream":"wrong","state":"foreign"/)
  const metrics = await readMetrics(gateway)
  assert.match(metrics, /gateway_upstream_state\{upstream="wrong",state="foreign"\} 1/)
  assert.match(metrics, /gateway_upstream_state_changes_total\{upstream="wrong",state="foreign"\} 1/)
})

test('the health page names a node of another ledger and says what is wrong with it', async (t) => {
  const { node } = await openNode(t, 5, { genesis: genesisOf('elsewhere') })
  const { get, enter, adminKey } = await openDashboard(t, { NODE_URLS: `${node.url}#name=wrong`, NODE_NETWORK: 'dev' })
  const page = (await get('/dashboard/admin/health', await enter(adminKey))).text
  assert.match(page, /another ledger/)
  assert.ok(page.includes(`the first block of its ledger is ${genesisOf('elsewhere').hash}`))
})

test('a node of another network was asked for balances; now it gets no requests, and its websocket is ignored', async (t) => {
  const good = await openNode(t, 5)
  const wrong = await openNode(t, 7_000, { genesis: genesisOf('elsewhere') })
  const gateway = await openGateway(t, {
    NODE_URLS: `${good.node.url},${wrong.node.url}`,
    NODE_WS_URLS: `${good.ledger.wsUrl},${wrong.ledger.wsUrl}`,
    NODE_NETWORK: 'dev',
    CACHE_BYTES_MAX: '0',
  })
  assert.deepEqual([stateOf(gateway, 0), stateOf(gateway, 1)], ['well', 'foreign'])
  for (let index = 0; index < 20; index++) {
    const { address } = new Signer(index)
    assert.equal((await gateway.call('account_balance', { account: address })).status, 200)
  }
  assert.equal(wrong.node.hits('account_balance'), 0)
  assert.equal((await balanceOf(gateway)).json().balance, nano(5).toString())
  const { nodes } = gateway.app
  await until(() => nodes.confirmations.connected)
  const told: string[] = []
  nodes.confirmations.listen(({ hash }) => told.push(hash))
  const elsewhere = await give(wrong.ledger.node, alice.key, nano(1))
  // The confirmation has arrived here and was ignored.
  await until(() => nodes.pool.upstreams[1]!.announced.includes(elsewhere))
  const here = await give(good.ledger.node, alice.key, nano(1))
  await until(() => told.includes(here))
  assert.deepEqual(told, [here])
})

test('a node that comes back as a node of another ledger is not used, not even before the next probe', async (t) => {
  const clock = new TestClock()
  const { node } = await openNode(t, 5)
  const other = await openNode(t, 7_000, { genesis: genesisOf('elsewhere') })
  const gateway = await openGateway(t, { NODE_URLS: node.url, NODE_NETWORK: 'dev', CACHE_BYTES_MAX: '0' }, clock)
  assert.equal((await balanceOf(gateway)).json().balance, nano(5).toString())
  await node.behave('dead')
  clock.advance(3_000)
  await until(() => stateOf(gateway) === 'failing')
  // The operator must read the reason, not that the network is unknown.
  assert.match(
    (await readinessOf(gateway)).reason!,
    /is not used, because it does not answer: (refused connection|connection closed)$/,
  )
  assert.match(
    gateway.log(),
    /"event":"node_state","upstream":"[^"]+","state":"failing","reason":"[^"]*(refused connection|connection closed)"/,
  )
  assert.equal((await balanceOf(gateway)).status, 502)
  assert.match(gateway.log(), /"event":"upstream_failure".*"reason":"[^"]*(refused connection|connection closed)"/)
  node.become(other.ledger)
  await node.behave('none')
  node.forgetHits()
  assert.deepEqual([(await balanceOf(gateway)).status, node.hits('account_balance')], [502, 0])
  await until(() => stateOf(gateway) === 'foreign')
  const original = await openNode(t, 5)
  node.become(original.ledger)
  clock.advance(3_000)
  await until(() => stateOf(gateway) === 'well')
  assert.equal((await balanceOf(gateway)).json().balance, nano(5).toString())
})

test('a proxy that hides version, telemetry and active_difficulty is identified by its first block; one that hides everything is not used', async (t) => {
  const { node } = await openNode(t, 5)
  const { node: stranger } = await openNode(t, 7, { genesis: genesisOf('elsewhere') })
  const { node: silent } = await openNode(t, 9)
  const hidden = ['version', 'telemetry', 'active_difficulty']
  await node.behave('rate limit', { actions: hidden })
  await stranger.behave('rate limit', { actions: hidden })
  await silent.behave('rate limit', { actions: [...hidden, 'block_info'] })
  const urls = [node, stranger, silent].map(({ url }) => url).join(',')
  const gateway = await openGateway(t, { NODE_URLS: urls, NODE_NETWORK: 'dev' })
  assert.deepEqual(
    [0, 1, 2].map((at) => stateOf(gateway, at)),
    ['well', 'foreign', 'unverified'],
  )
  assert.equal((await balanceOf(gateway)).json().balance, nano(5).toString())
  assert.equal(stranger.hits('account_balance') + silent.hits('account_balance'), 0)
})

test('on a network without a known first block, nodes that contradict each other are not used, and two of three decide', async (t) => {
  const beta = { network: 'beta', thresholds: WORK_THRESHOLDS.beta }
  const start = async (word: string) => {
    const ledger = await openDevnet(t, { ...beta, genesis: genesisOf(word) })
    await give(ledger.node, alice.key, nano(3))
    return FaultyNode.start(t, { ledger })
  }
  const [one, two, odd] = [await start('beta'), await start('beta'), await start('other')]
  const open = (nodes: FaultyNode[]) =>
    openGateway(t, { NODE_URLS: nodes.map(({ url }) => url).join(','), NODE_NETWORK: 'beta' })
  const torn = await open([one, odd])
  assert.deepEqual([stateOf(torn, 0), stateOf(torn, 1)], ['unverified', 'unverified'])
  assert.match((await readinessOf(torn)).reason!, /the nodes do not agree on a first block/)
  assert.equal((await balanceOf(torn)).status, 502)
  const decided = await open([odd, one, two])
  assert.deepEqual(
    [0, 1, 2].map((at) => stateOf(decided, at)),
    ['foreign', 'well', 'well'],
  )
  assert.equal(decided.app.nodes.pool.ledger.genesis, genesisOf('beta').hash)
})
