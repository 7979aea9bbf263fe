import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Confirmation, createGateway, raw } from '../../src/client/index.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { Signer, frontierOf, give, nano, openAccount, publish } from '../support/blocks.ts'
import { openGateway } from '../support/gateway.ts'
import { TcpRelay } from '../support/tcp-relay.ts'
import { until } from '../support/until.ts'

/* Confirmations as a loop: each block once, even if connections break. */

const alice = new Signer(51, WORK_THRESHOLDS.dev)
const bob = new Signer(52, WORK_THRESHOLDS.dev)

/** A gateway behind a connection that can be cut, and a loop over its confirmations. */
async function openListener(t: TestContext, accounts: string[] | undefined) {
  const { url, app, confirmed } = await openGateway(t)
  await until(() => app.nodes.confirmations.connected)
  const node = app.devnet!.node
  await openAccount(node, alice, nano(5))
  await confirmed()
  const relay = await TcpRelay.start(Number(new URL(url).port))
  t.after(() => relay.close())
  let subscribed = 0
  class Watched extends WebSocket {
    constructor(to: string) {
      super(to)
      this.addEventListener('message', ({ data }) => {
        if (String(data).includes('"ack":"subscribe"')) subscribed++
      })
    }
  }
  const end = new AbortController()
  const gateway = createGateway({ url: `http://127.0.0.1:${relay.port}`, WebSocket: Watched })
  const told: Confirmation[] = []
  const listen = async () => {
    for await (const each of gateway.confirmations({ accounts, signal: end.signal })) told.push(each)
  }
  const listening = listen()
  t.after(async () => {
    end.abort(new Error('enough'))
    await assert.rejects(listening, /enough/)
  })
  await until(() => subscribed === 1)
  return { node, relay, told, subscribed: () => subscribed, gateway }
}

test('a shop that was cut off learns of every payment once: those meanwhile, those before and those after', async (t) => {
  const { node, relay, told, subscribed } = await openListener(t, [alice.address])
  const before = await give(node, alice.key, nano(1))
  await until(() => told.length === 1)
  relay.cut()
  const received = await publish(node, alice.receive(frontierOf(node, alice.key), before, nano(1)))
  const arrived = await give(node, alice.key, nano(2))
  const taken = await publish(node, alice.receive(frontierOf(node, alice.key), arrived, nano(2)))
  const spent = await publish(node, alice.send(frontierOf(node, alice.key), bob.key, nano(3)))
  const waiting = await give(node, alice.key, nano(4))
  await give(node, bob.key, nano(1))
  relay.open()
  await until(() => subscribed() === 2)
  const after = await give(node, alice.key, nano(1))
  await until(() => told.some(({ hash }) => hash === after))
  await until(() => told.length === 7)
  assert.deepEqual(
    told.map(({ hash }) => hash).sort(),
    [before, received, arrived, taken, spent, waiting, after].sort(),
  )
  // If the last one was confirmed before the ledger was read, it is reported as missed.
  const missed = told.filter((each) => each.missed && each.hash !== after).map(({ hash }) => hash)
  assert.deepEqual(missed, [received, arrived, taken, spent, waiting], 'in the order of the chain')
  const payment = told.find(({ hash }) => hash === arrived)!
  assert.deepEqual([payment.amount, payment.block.link_as_account], [raw('2'), alice.address])
  assert.equal(payment.block.subtype, 'send')
})

test('without accounts everything is reported, and the loop ends with its signal', async (t) => {
  const { node, told, gateway } = await openListener(t, undefined)
  const hash = await give(node, bob.key, nano(1))
  await until(() => told.some((each) => each.hash === hash))
  const stopped = gateway.confirmations({ signal: AbortSignal.abort(new Error('not at all')) })
  await assert.rejects(stopped.next(), /not at all/)
  const none = createGateway({ url: gateway.url, WebSocket: null as never }).confirmations()
  await assert.rejects(none.next(), { code: 'no_websocket' })
})
