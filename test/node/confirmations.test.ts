import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { NO_WORK, Signer, frontierOf, nano, openAccount, publish } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { openDevnet } from '../support/devnet.ts'
import { EventRelay } from '../support/event-relay.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { openPooledGateway } from '../support/pooled-gateway.ts'
import { until } from '../support/until.ts'
import { WsClient } from '../support/ws-client.ts'

const alice = new Signer(1)
const bob = new Signer(2)
const carol = new Signer(3)
/** Longer than the first pause before a socket reconnects. */
const PAUSE = 500

/** Two nodes of one ledger, each with its websocket, and one shared clock. */
async function openWorld(t: TestContext) {
  const clock = new TestClock()
  const ledger = await openDevnet(t, { thresholds: NO_WORK, clock })
  for (const signer of [alice, bob, carol]) await openAccount(ledger.node, signer, nano(100))
  // Everything so far happened long ago.
  clock.advance(3_600_000)
  const nodes = [await FaultyNode.start(t, { ledger }), await FaultyNode.start(t, { ledger })]
  const relays = [await EventRelay.start(t, ledger.wsUrl), await EventRelay.start(t, ledger.wsUrl)]
  const entries = nodes.map(({ url }, at) => ({ url, wsUrl: relays[at]!.url }))
  const gateway = await openPooledGateway(t, entries, { clock })
  const { confirmations } = gateway.app.nodes
  const told: string[] = []
  confirmations.listen(({ hash }) => told.push(hash))
  await until(() => relays.every(({ relayed }) => relayed === 1))
  await until(() => confirmations.connected)
  return {
    ...{ ledger, nodes, relays, clock, gateway },
    /** Hashes reported on the bus, in order. */
    told,
    /** Sends one nano, directly at the ledger. */
    send: (from: Signer, to: Signer) =>
      publish(ledger.node, from.send(frontierOf(ledger.node, from.key), to.key, nano(1))),
    /** Disconnects all nodes until `reconnect`. */
    async cutAll() {
      for (const relay of relays) await relay.cut()
      await until(() => !confirmations.connected)
    },
    async reconnect() {
      for (const relay of relays) await relay.restore()
      await untilInTime(clock, () => confirmations.connected)
    },
  }
}

type World = Awaited<ReturnType<typeof openWorld>>

/** Advances the clock until the condition is true, in small steps: after a big one, live connections would look silent. */
async function untilInTime(clock: TestClock, isSo: () => boolean): Promise<void> {
  await until(() => {
    clock.advance(20)
    return isSo()
  })
}

/** Sends a block that will be reported. Frames come in order, so everything before it has been reported when this returns. */
async function reportMark({ told, send }: World): Promise<string> {
  const mark = await send(carol, carol)
  await until(() => told.includes(mark))
  return mark
}

test('a block confirmed by two nodes is reported once, and blocks are reported in order', async (t) => {
  const world = await openWorld(t)
  const hashes: string[] = []
  for (let round = 0; round < 10; round++) {
    hashes.push(await world.send(alice, bob), await world.send(bob, alice))
  }
  await until(() => world.relays.every(({ relayed }) => relayed === 1 + hashes.length))
  hashes.push(await reportMark(world))
  assert.deepEqual(world.told, hashes)
})

test('one socket is enough: nothing is lost and nothing is called a gap while the other is gone', async (t) => {
  const world = await openWorld(t)
  const { relays, gateway, told, send } = world
  const hashes = [await send(alice, bob)]
  await until(() => relays[0]!.relayed === 2)
  await relays[0]!.cut()
  hashes.push(await send(alice, bob))
  await relays[0]!.restore()
  await untilInTime(world.clock, () => relays[0]!.connections === 2)
  await until(() => relays[0]!.relayed === 3)
  await relays[1]!.cut()
  hashes.push(await reportMark(world))
  assert.deepEqual(told, hashes)
  assert.equal(gateway.app.nodes.confirmations.connected, true)
})

test('a lost socket is opened again after a pause, and not before', async (t) => {
  const { relays, clock, gateway, cutAll } = await openWorld(t)
  await cutAll()
  for (const relay of relays) await relay.restore()
  clock.advance(PAUSE / 2 - 1)
  for (let round = 0; round < 20; round++) await gateway.ask('version')
  assert.deepEqual(
    relays.map(({ connections }) => connections),
    [1, 1],
  )
  clock.advance(PAUSE / 2 + 1)
  await until(() => relays.every(({ connections }) => connections === 2))
  await until(() => gateway.app.nodes.confirmations.connected)
})

// Half-open connections look alive for hours.
test('a socket that has gone silent is given up, one that answers pings is kept', async (t) => {
  const { relays, clock, gateway } = await openWorld(t)
  relays[0]!.muted = true
  for (let passed = 15; passed <= 45; passed += 15) {
    const before = relays[1]!.relayed
    clock.advance(15_000)
    await until(() => relays[1]!.relayed > before)
    await gateway.ask('account_info', { account: alice.address })
  }
  relays[0]!.muted = false
  await untilInTime(clock, () => relays[0]!.connections === 2)
  assert.equal(relays[1]!.connections, 1)
})

test('after a gap, missed events of watched accounts are reported once, and no others', async (t) => {
  const world = await openWorld(t)
  const { gateway, nodes, told, send, cutAll, reconnect, clock } = world
  const release = gateway.app.nodes.confirmations.watch(alice.address)
  gateway.app.nodes.confirmations.watch(alice.address)()
  const before = await send(alice, bob)
  await until(() => told.includes(before))
  await cutAll()
  clock.advance(10_000)
  const missed = [await send(alice, bob), await send(bob, alice)]
  const unwatched = await send(bob, carol)
  clock.advance(10_000)
  await reconnect()
  await until(() => missed.every((hash) => told.includes(hash)))
  const mark = await reportMark(world)
  assert.deepEqual(told.toSorted(), [before, ...missed, mark].sort())
  assert.equal(told.includes(unwatched), false)

  // A second gap is read again but reports nothing again.
  await cutAll()
  for (const node of nodes) node.forgetHits()
  await reconnect()
  await until(() => nodes.some((node) => node.hits('blocks_info') > 0))
  const second = await reportMark(world)
  assert.deepEqual(told.slice(-2), [mark, second])

  // An address without a watcher is not looked up any more.
  await cutAll()
  release()
  await send(alice, bob)
  for (const node of nodes) node.forgetHits()
  await reconnect()
  const third = await reportMark(world)
  assert.deepEqual(told.slice(-2), [second, third])
  // The gateway itself watches its wallets.
  const asked = nodes.flatMap((node) => node.bodies('account_history'))
  assert.deepEqual(
    asked.filter((body) => body.includes(bob.address) || body.includes(alice.address)),
    [],
  )
})

test('receives, openings and sends to unopened accounts are found after a gap, too; unconfirmed blocks are not reported', async (t) => {
  const world = await openWorld(t)
  const { ledger, gateway, told, send, cutAll, reconnect } = world
  const [dave, erin] = [new Signer(4), new Signer(5)]
  for (const { address } of [bob, dave, erin]) gateway.app.nodes.confirmations.watch(address)
  const received = await send(alice, bob)
  const opened = await send(alice, dave)
  await until(() => told.length === 2)
  await cutAll()
  const receive = await publish(ledger.node, bob.receive(frontierOf(ledger.node, bob.key), received, nano(1)))
  const open = await publish(ledger.node, dave.receive(frontierOf(ledger.node, dave.key), opened, nano(1)))
  const waiting = await send(alice, erin)
  ledger.node.hold()
  const unconfirmed = await send(bob, alice)
  await reconnect()
  await until(() => [receive, open, waiting].every((hash) => told.includes(hash)))
  await gateway.ask('account_info', { account: bob.address })
  assert.equal(told.length, 5)
  await ledger.node.release()
  await until(() => told.includes(unconfirmed))
  await reportMark(world)
  assert.equal(told.length, 7)
})

test('frames that make no sense are ignored', async (t) => {
  const world = await openWorld(t)
  const { relays, told } = world
  const [relay] = relays
  const good = { account: alice.address, amount: '1', hash: 'A'.repeat(64), confirmation_type: 'active_quorum' }
  const confirmation = (message: unknown) => JSON.stringify({ topic: 'confirmation', time: '1', message })
  const wrong = [{ hash: undefined }, { hash: 5 }, { hash: 'A'.repeat(63) }, { hash: 'not a hash' }, { amount: 1 }]
  const bad = [
    ...['', '{', 'null', '[]', '"confirmation"', '17', Buffer.from([0, 159, 146, 150])],
    ...[{ topic: 'confirmation' }, { topic: 'vote', message: good }].map((frame) => JSON.stringify(frame)),
    ...[null, [], 'text'].map(confirmation),
    ...[...wrong, { account: { toString: 1 } }].map((each) => confirmation({ ...good, ...each })),
  ]
  for (const frame of bad) relay!.say(frame)
  const mark = await reportMark(world)
  assert.deepEqual(told, [mark])

  // A frame is passed on if the fields that we need are valid, whatever else it contains.
  const odd: [string, unknown][] = [
    ['B', undefined],
    ['C', null],
    ['D', 'text'],
    ['E', []],
    ['F', { link: 5, link_as_account: { deep: true }, previous: null }],
    ['0', { link: 'x', link_as_account: 'nano_wrong', previous: 'y' }],
  ]
  for (const [digit, block] of odd) relay!.say(confirmation({ ...good, hash: digit.repeat(64), block }))
  await reportMark(world)
  assert.deepEqual(
    told.slice(1, -1),
    odd.map(([digit]) => digit.repeat(64)),
  )
  assert.equal(relay!.connections, 1)
})

interface Frame {
  topic: string
  time: string
  message: { account: string; amount: string; hash: string; block: { subtype: string; link_as_account: string } }
}

async function subscribe(t: TestContext, { gateway }: World, signers?: Signer[]): Promise<WsClient> {
  const client = await WsClient.connect(t, `${gateway.app.url.replace('http', 'ws')}/ws`)
  const options = signers ? { options: { accounts: signers.map(({ address }) => address) } } : {}
  client.send({ action: 'subscribe', topic: 'confirmation', ack: true, ...options })
  await client.next()
  return client
}

test('subscribers of the gateway get the events of their accounts during a gap, once', async (t) => {
  const world = await openWorld(t)
  const { gateway, told, send, cutAll, reconnect } = world
  const [alices, bobs] = [await subscribe(t, world, [alice]), await subscribe(t, world, [bob])]
  const before = await send(alice, bob)
  await until(() => told.includes(before))
  await cutAll()
  const missed = await send(alice, carol)
  const toBoth = await send(bob, alice)
  await reconnect()
  await until(() => told.includes(missed) && told.includes(toBoth))
  const after = await send(alice, bob)
  await until(() => told.includes(after))
  const hashesOf = async (client: WsClient) =>
    (await client.settle()).map((frame) => (JSON.parse(frame) as Frame).message.hash)
  assert.deepEqual((await hashesOf(alices)).sort(), [before, missed, toBoth, after].sort())
  assert.deepEqual((await hashesOf(bobs)).sort(), [before, toBoth, after].sort())
  assert.equal(gateway.app.nodes.confirmations.connected, true)
})

test('events found after a gap have the format of received ones', async (t) => {
  const world = await openWorld(t)
  const { ledger, clock, told, send, cutAll, reconnect } = world
  const client = await subscribe(t, world, [alice])
  const heard = await send(bob, alice)
  const live = await client.next<Frame>()
  await cutAll()
  const hash = await send(bob, alice)
  const sentAt = clock.now()
  await reconnect()
  const found = await client.next<Frame>()
  assert.equal(live.message.hash, heard)
  assert.equal(found.message.hash, hash)
  assert.deepEqual(Object.keys(found.message), Object.keys(live.message))
  assert.deepEqual(Object.keys(found.message.block).sort(), Object.keys(live.message.block).sort())
  const { account, amount, block } = found.message
  assert.deepEqual([account, amount], [bob.address, `${nano(1)}`])
  assert.deepEqual([block.subtype, block.link_as_account], ['send', alice.address])
  assert.ok(Math.abs(Number(found.time) - sentAt) < 1_000)
  assert.equal(ledger.node.ledger.store.hasBlock(hash), true)
  assert.equal(told.length, 2)
})
