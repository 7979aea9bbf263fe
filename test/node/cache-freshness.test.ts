import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { NO_WORK, frontierOf, nano, openAccount, publish } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { openDevnet } from '../support/devnet.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { openPooledGateway } from '../support/pooled-gateway.ts'
import { until } from '../support/until.ts'
import { type World, alice, bob, carol, eventReads, happen, openWorld } from './cache-steps.ts'

const MONTH = 30 * 86_400_000

/** Checks that every one of these reads comes from there. */
async function assertFrom(source: 'hit' | 'miss', { sourceOf }: Pick<World, 'sourceOf'>, reads: [string, object][]) {
  for (const [action, params] of reads) {
    assert.equal(await sourceOf(action, params), source, `${action} ${JSON.stringify(params)}`)
  }
}

test('a confirmation removes the cached answers of both accounts, and no others', async (t) => {
  const world = await openWorld(t)
  const { ledger, sourceOf } = world
  const remember = async () => {
    for (const signer of [alice, bob, carol]) {
      for (const [action, params] of eventReads(signer)) await sourceOf(action, params)
    }
  }
  await remember()
  const send = await happen(world, alice.send(frontierOf(ledger.node, alice.key), bob.key, nano(1)))
  await assertFrom('miss', world, [...eventReads(alice), ...eventReads(bob)])
  await assertFrom('hit', world, eventReads(carol))
  await remember()
  // A receive contains the hash of its send.
  const block = { hashes: [send], receive_hash: 'true' }
  assert.equal(await sourceOf('blocks_info', block), 'miss')
  await happen(world, bob.receive(frontierOf(ledger.node, bob.key), send, nano(1)))
  await assertFrom('miss', world, eventReads(bob))
  await assertFrom('hit', world, eventReads(alice))
  assert.equal(await sourceOf('blocks_info', block), 'miss')
})

test('an own block removes cached answers before it is confirmed', async (t) => {
  const world = await openWorld(t)
  const { ledger, gateway, sourceOf } = world
  ledger.node.hold()
  const previous = frontierOf(ledger.node, alice.key).previous
  const reads = [...eventReads(alice), ...eventReads(bob), ['block_info', { hash: previous }] as [string, object]]
  for (const [action, params] of reads) await sourceOf(action, params)
  await assertFrom('hit', world, reads)
  const block = alice.send(frontierOf(ledger.node, alice.key), bob.key, nano(1))
  await gateway.ask('process', { block: toBlockJson(block) })
  await assertFrom('miss', world, reads)
  assert.equal((await gateway.ask('block_info', { hash: previous })).body.successor, hashBlock(block))
})

// The first node to confirm a block drops the cached answer. It may be cached again from a node that confirms later.
test('a confirmation by a second node removes what was read since the first', async (t) => {
  const ledgers = [await openDevnet(t, { thresholds: NO_WORK }), await openDevnet(t, { thresholds: NO_WORK })] as const
  for (const { node } of ledgers) await openAccount(node, alice, nano(100))
  const nodes = await Promise.all(ledgers.map((ledger) => FaultyNode.start(t, { ledger })))
  const roles = ['role=primary', 'role=fallback']
  const entries = nodes.map(({ url }, at) => ({ url, wsUrl: ledgers[at]!.wsUrl, options: roles[at]! }))
  const gateway = await openPooledGateway(t, entries, { clock: new TestClock() })
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
  // After the first confirmation the answer is read and cached again.
  nodes[0]!.forgetHits()
  await until(async () => (await balance(), nodes[0]!.hits('account_balance') > 0))
  assert.equal(await balance(), `${nano(100)}`)
  await late.node.release()
  await until(async () => (await balance()) === `${nano(99)}`)
})

test('answers that depend on events are not cached while no socket is open, nor across the gap', async (t) => {
  const world = await openWorld(t)
  const { ledger, relay, clock, gateway, sourceOf } = world
  const reads = eventReads(alice)
  for (const [action, params] of reads) await sourceOf(action, params)
  await relay.cut()
  await until(() => !gateway.app.nodes.confirmations.connected)
  await assertFrom('miss', world, [...reads, ...reads])
  await publish(ledger.node, alice.send(frontierOf(ledger.node, alice.key), bob.key, nano(1)))
  await relay.restore()
  clock.advance(500)
  await until(() => gateway.app.nodes.confirmations.connected)
  await assertFrom('miss', world, reads)
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

// Blocks are built from account_info, and an old frontier makes a fork.
test('answers that depend on events are cached for two seconds at most, and account_info is never remembered', async (t) => {
  const world = await openWorld(t)
  const { node, clock, sourceOf } = world
  for (const [action, params] of eventReads(alice)) await sourceOf(action, params)
  clock.advance(1_999)
  await assertFrom('hit', world, eventReads(alice))
  clock.advance(1)
  await assertFrom('miss', world, eventReads(alice))
  const { address } = alice
  for (let round = 0; round < 3; round++) {
    await assertFrom('miss', world, [
      ['account_info', { account: address }],
      ['accounts_frontiers', { accounts: [address] }],
    ])
  }
  assert.equal(node.hits('account_info'), 3)
})

test('a confirmed block with a successor is remembered for ever, any other for a second', async (t) => {
  const world = await openWorld(t)
  const { ledger, clock, relay, gateway } = world
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
  await assertFrom('miss', world, [...settled, ...open])
  clock.advance(999)
  await assertFrom('hit', world, [...settled, ...open])
  clock.advance(1)
  await assertFrom('miss', world, open)
  clock.advance(MONTH)
  await assertFrom('hit', world, settled)
  // A missed event cannot have changed this answer.
  await relay.cut()
  await until(() => !gateway.app.nodes.confirmations.connected)
  await assertFrom('hit', world, settled)
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
