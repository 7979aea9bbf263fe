import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type StateBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { Signer, frontierOf, nano, openAccount } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { openDevnet } from '../support/devnet.ts'
import { EventRelay } from '../support/event-relay.ts'
import { type Gateway, openGateway, sharedKeys } from '../support/gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { TcpRelay } from '../support/tcp-relay.ts'
import { until } from '../support/until.ts'
import { WsClient } from '../support/ws-client.ts'

/* Two gateways on one store and one node. Their clocks stand still, so cached answers never expire: what one shows of the other's work, it was notified of. */
async function openPair(t: TestContext) {
  const alice = new Signer(1, WORK_THRESHOLDS.dev)
  // Cached answers change only with confirmed blocks, and only publications are passed on between gateways. So each block must be confirmed at once.
  const devnet = await openDevnet(t, { confirmAfterMilliseconds: 0 })
  await openAccount(devnet.node, alice, nano(10))
  const database = await createDatabase()
  const { port, pathname } = new URL(database)
  const store = await TcpRelay.start(Number(port))
  t.after(() => store.close())
  const events = await EventRelay.start(t, devnet.wsUrl)
  const common = { ...sharedKeys(), NODE_URLS: devnet.rpcUrl, NODE_NETWORK: 'dev' }
  const a = await openGateway(
    t,
    { ...common, DATABASE_URL: database, NODE_WS_URLS: devnet.wsUrl },
    new TestClock(Date.now()),
  )
  const clock = new TestClock(Date.now())
  const throughRelays = {
    DATABASE_URL: `postgres://postgres@127.0.0.1:${store.port}${pathname}`,
    NODE_WS_URLS: events.url,
  }
  const b = await openGateway(t, { ...common, ...throughRelays }, clock)
  await until(() => b.app.nodes.confirmations.connected && b.app.store.notices.connected)
  await until(() => a.app.nodes.confirmations.connected && a.app.store.notices.connected)
  const balanceOn = async (gateway: Gateway) =>
    (await gateway.call('account_balance', { account: alice.address })).json().balance
  const send = (amount: bigint) => alice.send(frontierOf(devnet.node, alice.key), new Signer(2).key, amount)
  const publish = async (gateway: Gateway, block: StateBlock) => {
    const reply = await gateway.call('process', { json_block: 'true', subtype: 'send', block: toBlockJson(block) })
    assert.equal(reply.status, 200, reply.text)
  }
  return { a, b, alice, store, events, clock, balanceOn, send, publish }
}

test('a block published through one gateway is visible through the other, despite its cache', async (t) => {
  const { a, b, events, balanceOn, send, publish } = await openPair(t)
  // The node sends the second gateway nothing, unnoticed. Only the first gateway can notify it.
  events.muted = true
  const before = await balanceOn(b)
  const again = await b.call('account_balance', { account: new Signer(1).address })
  assert.equal(again.headers['x-cache'], 'hit', 'it remembers')
  const block = send(nano(1))
  await publish(a, block)
  await until(async () => (await balanceOn(b)) === block.balance.toString())
  assert.notEqual(before, block.balance.toString())
})

test('a gateway that is cut off from the others caches nothing that they may change', async (t) => {
  const { a, b, store, events, clock, balanceOn, send, publish } = await openPair(t)
  events.muted = true
  await balanceOn(b)
  store.cut()
  await until(() => !b.app.store.notices.connected)
  const block = send(nano(1))
  await publish(a, block)
  assert.equal(await balanceOn(b), block.balance.toString(), 'it asks the node')
  const { headers } = await b.call('account_balance', { account: new Signer(1).address })
  assert.equal(headers['x-cache'], 'miss')

  store.open()
  await until(() => {
    clock.advance(1_000)
    return b.app.store.notices.connected
  })
})

// A pulled cable does not close the connection, which looks alive until something is sent.
test('a gateway notices that its connection to the store hangs, and gets notifications again when it is back', async (t) => {
  const { a, b, store, clock } = await openPair(t)
  store.hang()
  await until(() => !b.app.store.notices.connected)
  store.open()
  await until(() => {
    clock.advance(1_000)
    return b.app.store.notices.connected
  })
  const heard = new Promise((resolve) => b.app.store.notices.subscribe('greeting', resolve))
  a.app.store.notices.publish('greeting', 'hello')
  assert.equal(await heard, 'hello')
})

test('websocket clients of a gateway without a node connection get what another gateway received', async (t) => {
  const { a, b, alice, events, clock, send, publish } = await openPair(t)
  await events.cut()
  await until(() => !b.app.nodes.confirmations.connected)
  const listener = await WsClient.connect(t, `${b.url.replace('http', 'ws')}/ws`)
  listener.send({ action: 'subscribe', topic: 'confirmation', options: { accounts: [alice.address] } })
  await listener.settle()
  // It regularly announces that it receives no confirmations. Once it answers a later message, the other gateway has received that.
  const asked = new Promise((resolve) => a.app.store.notices.subscribe('deaf', resolve))
  clock.advance(5_000)
  await asked
  const block = send(nano(1))
  await publish(a, block)
  const { message } = await listener.next<{ message: { account: string; amount: string } }>()
  assert.deepEqual([message.account, message.amount], [alice.address, nano(1).toString()])
})
