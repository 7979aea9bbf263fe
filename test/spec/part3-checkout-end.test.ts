import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frontierOf, publish } from '../support/blocks.ts'
import { ask } from '../support/gateway.ts'
import { TcpRelay } from '../support/tcp-relay.ts'
import { until } from '../support/until.ts'
import { bearer, merchant, nano, openShop, openWorld, show, stranger, turnUntil } from '../support/checkout-steps.ts'
import { row } from './row.ts'

/* Contract 3: how a checkout ends unpaid, what happens to later payments, and that an outage never ends one. */

const { address } = merchant
const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

test('expired or cancelled, then paid late: recorded for the merchant, whose word completes it, for seven days (contract 3, rule 2; 8, Checkout: lifetime, watch for late payments; 4.6, rule 4; 7, Texts and codes: expired checkout, in a check answer)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const webhook_events = ['payment.late', 'checkout.expired']
  const cancel_url = 'https://shop.example/cart'
  const open = () => shop.open({ address, amount: '1', webhook_events, cancel_url }, bearer(key))
  const [expires, cancelled, unpaid] = [await open(), await open(), await open()]
  const forgotten = await shop.open({ address: stranger.address, amount: '1', mode: 'unique_address' }, bearer(key))
  const deleted = await shop.rest('DELETE', `/api/checkouts/${cancelled.id}`, key)
  assert.deepEqual(deleted.json(), { success: true, deleted: true, id: cancelled.id })
  const givenUp = await shop.check(cancelled.id)
  // The link to the shop does not change the checkout.
  const page = await ask(`${shop.url}/pay/${expires.id}`, { method: 'GET', headers: { accept: 'text/html' } })
  row('3, Checkout: cancelled, given up', () => {
    assert.equal(givenUp.status, 'cancelled')
    assert.ok(page.text.includes(`href="${cancel_url}"`))
  })

  // Not before its time.
  world.clock.leap(DAY - MINUTE)
  await turnUntil(world, 10_000, async () => world.clock.now() / 1000 >= Number(expires.expires_unix))
  assert.equal((await shop.check(expires.id)).status, 'pending')
  await turnUntil(world, MINUTE, async () => (await shop.check(expires.id)).status === 'expired')
  const ended = await shop.check(expires.id)
  row('2, Checkout status: expired, error, additional_status; 3, Checkout: expired, lifetime over', () =>
    assert.deepEqual(
      [ended.success, ended.expired, ended.error, ended.additional_status, ended.amount_paid_raw],
      [false, true, 'Expired checkout.', 'none', '0'],
    ),
  )
  const { timeline } = await show(shop, expires.id, key)
  const [at] = timeline.filter(({ status }) => status === 'expired').map(({ at_unix }) => at_unix)
  assert.ok(at! >= Number(expires.expires_unix), 'after its end, not at it')
  assert.deepEqual(
    timeline.map(({ status }) => status),
    ['pending', 'expired'],
  )

  world.clock.leap(3 * DAY)
  for (const [made, status, kinds] of [
    [expires, 'expired', ['checkout.expired', 'payment.late', 'payment.completed']],
    [cancelled, 'cancelled', ['payment.late', 'payment.completed']],
  ] as const) {
    const hash = await world.pay(address, made.amount_raw)
    await turnUntil(world, 1_000, async () => (await shop.check(made.id)).additional_status === 'paid_late')
    const late = await shop.check(made.id)
    const { payments } = await show(shop, made.id, key)
    const recorded = payments.map(({ block_hash, amount_raw, kind }) => [block_hash, amount_raw, kind])
    row('3, Checkout: paid_late, paid after the end; 2, Checkout status: additional_status, block, message', () => {
      assert.equal(late.additional_status, 'paid_late')
      assert.deepEqual(
        [late.status, late.success, late.amount_paid_raw, 'block' in late, 'message' in late],
        [status, false, made.amount_raw, false, false],
      )
      assert.deepEqual(recorded, [[hash, made.amount_raw, 'late']])
    })
    const { key: foreign } = await shop.join()
    assert.equal((await shop.rest('POST', `/api/checkouts/${made.id}/mark`, foreign)).status, 404)
    assert.equal((await shop.rest('POST', `/api/checkouts/${made.id}/mark`, key)).status, 200)
    const marked = await shop.check(made.id)
    assert.equal((await shop.rest('POST', `/api/checkouts/${made.id}/mark`, key)).status, 409, 'complete is final')
    const { webhook_events: events } = await show(shop, made.id, key)
    const told = events.map(({ type }) => type)
    row('3, Checkout: marked, POST :id/mark by the owner; 2, Checkout status: additional_status, block', () => {
      assert.deepEqual(
        [marked.status, marked.additional_status, marked.success, marked.block?.hash],
        ['complete', 'marked', true, hash],
      )
      assert.deepEqual(told, kinds, 'one completion event')
    })
  }

  // An unpaid checkout that its merchant marks as paid has no block.
  assert.equal((await shop.rest('POST', `/api/checkouts/${unpaid.id}/mark`, key)).status, 200)
  const { webhook_events: told } = await show(shop, unpaid.id, key)
  const completed = told.find(({ type }) => type === 'payment.completed')!.payload
  assert.deepEqual([completed.status, completed.payment.amount_raw, 'block' in completed], ['complete', '0', false])
  const still = await shop.open({ address, amount: '3' }, bearer(key))
  const refused = await shop.rest('POST', `/api/checkouts/${still.id}/mark`, key)
  assert.deepEqual([refused.status, (await shop.check(still.id)).status], [409, 'pending'], 'open ones are paid first')

  // Payments are not looked for later than seven days after the end.
  world.clock.leap(5 * DAY)
  await world.pay(stranger.address, nano('1'))
  await world.pay(address, still.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(still.id)).additional_status === 'paid_late')
  const gone = await shop.check(forgotten.id)
  assert.deepEqual([gone.status, gone.additional_status, gone.amount_paid_raw], ['expired', 'none', '0'])
})

test('paid without a notification, or while the gateway was down: found, and nothing ends before the ledger was read (contract 3, rule 5)', async (t) => {
  const world = await openWorld(t)
  const line = await TcpRelay.start(Number(new URL(world.ledger.rpcUrl).port))
  t.after(() => line.close())
  const env = { NODE_URLS: `http://127.0.0.1:${line.port}` }
  const before = await world.start(env)
  const polled = await before.open({ address: stranger.address, amount: '1' })
  await world.relay.cut()
  await until(() => !before.app.nodes.confirmations.connected)
  await world.pay(stranger.address, polled.amount_raw)
  await turnUntil(world, 1_000, async () => (await before.check(polled.id)).success)
  await world.relay.restore()

  const made = await before.open({ address, amount: '1' })
  const unpaid = await before.open({ address, amount: '2' })
  await before.close()
  world.clock.advance(23 * HOUR)
  const hash = await world.pay(address, made.amount_raw)
  // Its payment was received too, so it is no longer receivable.
  const { node } = world.ledger
  await publish(node, merchant.receive(frontierOf(node, merchant.key), hash, BigInt(made.amount_raw)))
  world.clock.advance(3 * HOUR)

  // Two hours after the end the gateway is back, but cannot read the ledger: a payer must not be told that the checkout expired.
  line.cut()
  const after = await world.start(env)
  const end = world.clock.now() + 2 * HOUR
  await turnUntil(world, 10 * MINUTE, async () => world.clock.now() >= end)
  assert.deepEqual([(await after.check(made.id)).status, (await after.check(unpaid.id)).status], ['pending', 'pending'])
  line.open()
  await turnUntil(world, 1_000, async () => (await after.check(made.id)).status !== 'pending')
  const check = await after.check(made.id)
  assert.deepEqual([check.status, check.additional_status, check.block?.hash], ['complete', 'none', hash])
  await row('3, Checkout: lifetime over', () =>
    turnUntil(world, 10_000, async () => (await after.check(unpaid.id)).status === 'expired'),
  )
})
