import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Devnet } from '../../src/devnet/index.ts'
import type { Trace } from '../../src/kernel/ctx.ts'
import { hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { NO_WORK, Signer, UNOPENED, frontierOf, nano, openAccount, publish } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { openDevnet } from '../support/devnet.ts'
import { EventRelay } from '../support/event-relay.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { type PooledGateway, openPooledGateway } from '../support/pooled-gateway.ts'
import { call } from '../support/rpc.ts'
import { until } from '../support/until.ts'

const alice = new Signer(1)
const bob = new Signer(2)
const carol = new Signer(3)
const YEAR = 365 * 86_400_000

interface World {
  ledger: Devnet
  node: FaultyNode
  relay: EventRelay
  clock: TestClock
  gateway: PooledGateway
  /** Asks and says where the answer came from. */
  sourceOf(action: string, params?: object): Promise<string | undefined>
}

/** One node with its websocket, a clock that stands still, and Alice and Bob with 100 nano each. */
async function openWorld(t: TestContext, env: Record<string, string> = {}): Promise<World> {
  const ledger = await openDevnet(t, { thresholds: NO_WORK })
  for (const signer of [alice, bob]) await openAccount(ledger.node, signer, nano(100))
  const node = await FaultyNode.start(t, { ledger })
  const relay = await EventRelay.start(t, ledger.wsUrl)
  const clock = new TestClock()
  const gateway = await openPooledGateway(t, [{ url: node.url, wsUrl: relay.url }], { clock, env })
  await until(() => gateway.app.nodes.confirmations.connected)
  const sourceOf = async (action: string, params?: object) => (await gateway.ask(action, params)).cache
  return { ledger, node, relay, clock, gateway, sourceOf }
}

/** Reads that only stay true as long as nothing happens to the account. */
const eventReads = ({ address: account }: Signer): [string, object][] => [
  ['account_balance', { account }],
  ['accounts_balances', { accounts: [account] }],
  ['account_history', { account, count: '10' }],
  ['receivable', { account, count: '10' }],
  ['accounts_receivable', { accounts: [account], count: '10', source: 'true' }],
]

/** Publishes past the gateway and waits until it has heard of it. */
async function happen({ ledger, gateway }: World, block: ReturnType<Signer['send']>): Promise<string> {
  const heard = new Promise<void>((resolve) => {
    gateway.app.nodes.confirmations.listen(({ hash }) => hash === hashBlock(block) && resolve())
  })
  const hash = await publish(ledger.node, block)
  await heard
  return hash
}

test('a repeated read is answered from memory and says so', async (t) => {
  const { node, gateway } = await openWorld(t)
  for (const [action, params] of eventReads(alice)) {
    node.forgetHits()
    const first = await gateway.ask(action, params)
    const second = await gateway.ask(action, params)
    assert.deepEqual([first.cache, second.cache], ['miss', 'hit'])
    assert.deepEqual(second.body, first.body)
    assert.equal(node.hits(action), 1)
  }
})

test('a hundred equal reads at once are one question to the node', async (t) => {
  const { node, gateway } = await openWorld(t)
  const release = node.hold('account_balance')
  const reads = Array.from({ length: 100 }, () => gateway.ask('account_balance', { account: alice.address }))
  await until(() => node.hits('account_balance') === 1)
  release()
  const answers = await Promise.all(reads)
  assert.equal(node.hits('account_balance'), 1)
  assert.equal(answers.filter(({ cache }) => cache === 'miss').length, 1)
  assert.ok(answers.some(({ cache }) => cache === 'coalesced'))
  for (const { body } of answers) assert.deepEqual(body, answers[0]!.body)
})

test('equal reads share a question even where nothing is remembered, but not after its answer came', async (t) => {
  const { node, gateway } = await openWorld(t)
  const { nodes } = gateway.app
  for (const questions of [1, 2]) {
    const traces = Array.from({ length: 100 }, (): Trace => ({ cache: undefined, fresh: undefined }))
    await Promise.all(traces.map((trace) => nodes.forRequest(trace).read('account_info', { account: alice.address })))
    assert.equal(node.hits('account_info'), questions)
    const sources = traces.map(({ cache }) => cache)
    assert.deepEqual(sources, ['miss', ...Array.from({ length: 99 }, () => 'coalesced')])
  }
})

test('an error is shared by those who wait for it and by nobody after', async (t) => {
  const { node, gateway } = await openWorld(t)
  const release = node.hold('account_info')
  await node.behave('html')
  const reads = [1, 2, 3].map(() => gateway.ask('account_info', { account: alice.address }))
  await until(() => node.hits('account_info') === 1)
  release()
  assert.deepEqual(
    (await Promise.all(reads)).map(({ status }) => status),
    [502, 502, 502],
  )
  await node.behave('none')
  assert.equal((await gateway.ask('account_info', { account: alice.address })).status, 200)
})

// A public proxy once answered one account's balance with another's, because its key was the action's name.
test('reads with different parameters never share an answer', async (t) => {
  const { ledger, gateway } = await openWorld(t)
  const hash = await publish(ledger.node, alice.send(frontierOf(ledger.node, alice.key), bob.key, nano(7)))
  ledger.node.hold()
  await publish(ledger.node, alice.send(frontierOf(ledger.node, alice.key), bob.key, nano(9)))
  const reads: [string, object][] = [alice, bob, carol].flatMap((signer) => [
    ...eventReads(signer),
    ['account_balance', { account: signer.address, include_only_confirmed: 'false' }],
    ['accounts_balances', { accounts: [signer.address], include_only_confirmed: 'false' }],
    ['account_history', { account: signer.address, count: '1' }],
    ['account_history', { account: signer.address, count: '10', reverse: 'true' }],
    ['receivable', { account: signer.address, count: '10', source: 'true' }],
    ['receivable', { account: signer.address, count: '10', threshold: `${nano(8)}` }],
    ['receivable', { account: signer.address, count: '10', include_only_confirmed: 'false' }],
  ])
  reads.push(
    ['accounts_balances', { accounts: [alice.address, bob.address] }],
    ['accounts_balances', { accounts: [bob.address, alice.address] }],
    ['block_info', { hash, json_block: 'true' }],
    ['block_info', { hash: frontierOf(ledger.node, bob.key).previous, json_block: 'true' }],
    ['blocks_info', { hashes: [hash], json_block: 'true' }],
    ['blocks_info', { hashes: [hash], json_block: 'true', receive_hash: 'true' }],
    ['blocks_info', { hashes: [hash], json_block: 'true', source: 'true', receivable: 'true' }],
  )
  const answers = await Promise.all(reads.map(([action, params]) => gateway.ask(action, params)))
  for (const [at, [action, params]] of reads.entries()) {
    const truth = await call<Record<string, unknown>>(ledger.rpcUrl, action, params)
    assert.partialDeepStrictEqual(answers[at]!.body, truth, `${action} ${JSON.stringify(params)}`)
    assert.deepEqual((await gateway.ask(action, params)).body, answers[at]!.body)
  }
})

test('spellings of one question are one question', async (t) => {
  const { node, gateway, sourceOf } = await openWorld(t)
  const account = alice.address
  await gateway.ask('receivable', { account, count: 5, source: true })
  assert.equal(await sourceOf('pending', { source: '1', count: '5', account: account.replace('nano_', 'xrb_') }), 'hit')
  assert.equal(node.hits('receivable'), 1)
})

test('a confirmation drops what is remembered of the account and of the other side, and nothing else', async (t) => {
  const world = await openWorld(t)
  const { ledger, sourceOf } = world
  const remember = async () => {
    for (const signer of [alice, bob, carol]) {
      for (const [action, params] of eventReads(signer)) await sourceOf(action, params)
    }
  }
  await remember()
  const send = await happen(world, alice.send(frontierOf(ledger.node, alice.key), bob.key, nano(1)))
  for (const [action, params] of [...eventReads(alice), ...eventReads(bob)]) {
    assert.equal(await sourceOf(action, params), 'miss', action)
  }
  for (const [action, params] of eventReads(carol)) assert.equal(await sourceOf(action, params), 'hit', action)
  await remember()
  // A receive names the send by its hash.
  const block = { hashes: [send], receive_hash: 'true' }
  assert.equal(await sourceOf('blocks_info', block), 'miss')
  await happen(world, bob.receive(frontierOf(ledger.node, bob.key), send, nano(1)))
  for (const [action, params] of eventReads(bob)) assert.equal(await sourceOf(action, params), 'miss', action)
  for (const [action, params] of eventReads(alice)) assert.equal(await sourceOf(action, params), 'hit', action)
  assert.equal(await sourceOf('blocks_info', block), 'miss')
})

test('an own block drops what is remembered before it is confirmed', async (t) => {
  const { ledger, gateway, sourceOf } = await openWorld(t)
  ledger.node.hold()
  const previous = frontierOf(ledger.node, alice.key).previous
  const reads = [...eventReads(alice), ...eventReads(bob), ['block_info', { hash: previous }] as [string, object]]
  for (const [action, params] of reads) await sourceOf(action, params)
  for (const [action, params] of reads) assert.equal(await sourceOf(action, params), 'hit', action)
  const block = alice.send(frontierOf(ledger.node, alice.key), bob.key, nano(1))
  await gateway.ask('process', { block: toBlockJson(block) })
  for (const [action, params] of reads) assert.equal(await sourceOf(action, params), 'miss', action)
  assert.equal((await gateway.ask('block_info', { hash: previous })).body.successor, hashBlock(block))
})

// The first node to confirm drops the answer; one that confirms later may have been asked in between.
test('a block confirmed by a second node drops what was read between the two', async (t) => {
  const ledgers = [await openDevnet(t, { thresholds: NO_WORK }), await openDevnet(t, { thresholds: NO_WORK })] as const
  for (const { node } of ledgers) await openAccount(node, alice, nano(100))
  const nodes = await Promise.all(ledgers.map((ledger) => FaultyNode.start(t, { ledger })))
  const gateway = await openPooledGateway(
    t,
    nodes.map(({ url }, at) => ({
      url,
      wsUrl: ledgers[at]!.wsUrl,
      options: `role=${at === 0 ? 'primary' : 'fallback'}`,
    })),
    { clock: new TestClock() },
  )
  const [late, early] = ledgers
  const account = alice.address
  const balance = async () => (await gateway.ask('account_balance', { account })).body.balance
  await until(async () => {
    await balance()
    return gateway.app.nodes.confirmations.connected
  })
  const block = alice.send(frontierOf(early.node, alice.key), bob.key, nano(1))
  late.node.hold()
  await publish(late.node, block)
  await publish(early.node, block)
  // Let the first confirmation arrive: then the answer is asked for anew, and remembered.
  nodes[0]!.forgetHits()
  await until(async () => (await balance(), nodes[0]!.hits('account_balance') > 0))
  assert.equal(await balance(), `${nano(100)}`)
  await late.node.release()
  await until(async () => (await balance()) === `${nano(99)}`)
})

test('what events keep fresh is not remembered while no socket is up, nor across the gap', async (t) => {
  const world = await openWorld(t)
  const { ledger, relay, clock, gateway, sourceOf } = world
  const reads = eventReads(alice)
  for (const [action, params] of reads) await sourceOf(action, params)
  await relay.cut()
  await until(() => !gateway.app.nodes.confirmations.connected)
  for (const [action, params] of [...reads, ...reads]) assert.equal(await sourceOf(action, params), 'miss', action)
  await publish(ledger.node, alice.send(frontierOf(ledger.node, alice.key), bob.key, nano(1)))
  await relay.restore()
  clock.advance(500)
  await until(() => gateway.app.nodes.confirmations.connected)
  for (const [action, params] of reads) assert.equal(await sourceOf(action, params), 'miss', action)
  const { body } = await gateway.ask('account_balance', { account: alice.address })
  assert.equal(body.balance, `${nano(99)}`)
})

test('without a websocket nothing that events keep fresh is remembered', async (t) => {
  const ledger = await openDevnet(t)
  const gateway = await openPooledGateway(t, [{ url: ledger.rpcUrl }])
  for (const [action, params] of [...eventReads(alice), ...eventReads(alice)]) {
    assert.equal((await gateway.ask(action, params)).cache, 'miss', action)
  }
})

test('what events keep fresh lasts two seconds at most', async (t) => {
  const { clock, sourceOf } = await openWorld(t)
  for (const [action, params] of eventReads(alice)) await sourceOf(action, params)
  clock.advance(1_999)
  for (const [action, params] of eventReads(alice)) assert.equal(await sourceOf(action, params), 'hit', action)
  clock.advance(1)
  for (const [action, params] of eventReads(alice)) assert.equal(await sourceOf(action, params), 'miss', action)
})

test('a confirmed block with a successor is remembered for ever, any other for a second', async (t) => {
  const { ledger, clock, relay, gateway, sourceOf } = await openWorld(t)
  const first = await publish(ledger.node, alice.send(frontierOf(ledger.node, alice.key), bob.key, nano(1)))
  const head = await publish(ledger.node, alice.send(frontierOf(ledger.node, alice.key), carol.key, nano(1)))
  await publish(ledger.node, bob.receive(frontierOf(ledger.node, bob.key), first, nano(1)))
  ledger.node.hold()
  const unconfirmed = await publish(ledger.node, alice.send(frontierOf(ledger.node, alice.key), bob.key, nano(1)))
  await publish(ledger.node, alice.send(frontierOf(ledger.node, alice.key), bob.key, nano(1)))

  const settled: [string, object][] = [
    ['block_info', { hash: first }],
    ['blocks_info', { hashes: [first] }],
    ['blocks_info', { hashes: [first], receive_hash: 'true', receivable: 'true' }],
  ]
  const open: [string, object][] = [
    ['block_info', { hash: frontierOf(ledger.node, bob.key).previous }],
    ['block_info', { hash: unconfirmed }],
    ['blocks_info', { hashes: [first, unconfirmed] }],
    ['blocks_info', { hashes: [head], receive_hash: 'true' }],
    ['blocks_info', { hashes: [head], receivable: 'true' }],
    ['blocks_info', { hashes: [first, 'F'.repeat(64)], include_not_found: 'true' }],
  ]
  for (const [action, params] of [...settled, ...open]) assert.equal(await sourceOf(action, params), 'miss')
  clock.advance(999)
  for (const [action, params] of [...settled, ...open]) assert.equal(await sourceOf(action, params), 'hit')
  clock.advance(1)
  for (const [action, params] of open) assert.equal(await sourceOf(action, params), 'miss', JSON.stringify(params))
  clock.advance(YEAR)
  for (const [action, params] of settled) assert.equal(await sourceOf(action, params), 'hit', JSON.stringify(params))
  // Nothing that was missed can have changed it.
  await relay.cut()
  await until(() => !gateway.app.nodes.confirmations.connected)
  for (const [action, params] of settled) assert.equal(await sourceOf(action, params), 'hit', JSON.stringify(params))
})

test('refusals and failures are not remembered', async (t) => {
  const { ledger, node, gateway, relay } = await openWorld(t)
  await relay.cut()
  const block = carol.receive(UNOPENED, await ledger.node.fund(carol.key, nano(1)), nano(1))
  const reads: [string, object][] = [
    ['block_info', { hash: hashBlock(block) }],
    ['account_history', { account: carol.address, count: '1', reverse: 'true' }],
  ]
  for (const [action, params] of [...reads, ...reads]) {
    const { cache, body } = await gateway.ask(action, params)
    assert.equal(cache, 'miss')
    assert.match(String(body.error), /not found$/)
  }
  await publish(ledger.node, block)
  for (const [action, params] of reads) assert.equal((await gateway.ask(action, params)).body.error, undefined)

  await node.behave('status 500')
  assert.equal((await gateway.ask('block_info', { hash: block.previous })).status, 502)
  await node.behave('none')
  assert.equal((await gateway.ask('block_info', { hash: block.previous })).status, 200)
})

// Blocks are built from it: a stale frontier is a fork.
test('account_info is never remembered', async (t) => {
  const { node, sourceOf } = await openWorld(t)
  for (let round = 0; round < 3; round++) {
    assert.equal(await sourceOf('account_info', { account: alice.address }), 'miss')
    assert.equal(await sourceOf('accounts_frontiers', { accounts: [alice.address] }), 'miss')
  }
  assert.equal(node.hits('account_info'), 3)
})

test('facts of the network are remembered for as long as the table says', async (t) => {
  const ledger = await openDevnet(t)
  const clock = new TestClock()
  const gateway = await openPooledGateway(t, [{ url: ledger.rpcUrl }], { clock })
  const sourceOf = async (action: string) => (await gateway.ask(action)).cache
  const seconds = { block_count: 1, telemetry: 5, version: 60, representatives: 60, representatives_online: 60 }
  for (const [action, lifetime] of Object.entries(seconds)) {
    assert.equal(await sourceOf(action), 'miss')
    clock.advance(lifetime * 1_000 - 1)
    assert.equal(await sourceOf(action), 'hit', action)
    clock.advance(1)
    assert.equal(await sourceOf(action), 'miss', action)
  }
})

test('the cache stays within its bytes and forgets what was not used for longest', async (t) => {
  const bytesMax = 256 * 1024
  const { gateway, sourceOf } = await openWorld(t, { CACHE_BYTES_MAX: String(bytesMax) })
  const read = (count: number) => sourceOf('account_history', { account: alice.address, count, raw: 'true' })
  for (let count = 1; count <= 300; count++) {
    await read(count)
    await read(1)
    assert.ok(gateway.app.nodes.cachedBytes <= bytesMax)
  }
  assert.ok(gateway.app.nodes.cachedBytes > bytesMax * 0.9, 'it uses what it may')
  assert.equal(await read(300), 'hit')
  assert.equal(await read(1), 'hit', 'used all the time')
  assert.equal(await read(2), 'miss', 'not used for longest')
})

test('with no memory allowed nothing is remembered, and equal reads still share a question', async (t) => {
  const { node, gateway, sourceOf } = await openWorld(t, { CACHE_BYTES_MAX: '0' })
  for (const [action, params] of [...eventReads(alice), ...eventReads(alice)]) {
    assert.equal(await sourceOf(action, params), 'miss')
  }
  assert.deepEqual([await sourceOf('version'), await sourceOf('version')], ['miss', 'miss'])
  assert.equal(gateway.app.nodes.cachedBytes, 0)
  node.forgetHits()
  const release = node.hold('version')
  const reads = Array.from({ length: 20 }, () => sourceOf('version'))
  await until(() => node.hits('version') === 1)
  release()
  const sources = await Promise.all(reads)
  assert.ok(sources.includes('coalesced'))
})
