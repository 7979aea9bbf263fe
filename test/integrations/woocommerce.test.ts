import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import type { Raw } from '../../src/kernel/money.ts'
import { fundsOf, give } from '../support/blocks.ts'
import { ask } from '../support/gateway.ts'
import { SEED, SeededRandom } from '../support/random.ts'
import { serveWhole } from '../support/serve.ts'
import { until } from '../support/until.ts'
import { type WooShop, openWooShop } from './woo-shop.ts'

/* The WooCommerce plug-in in a PHP shop, with a whole gateway and its development ledger. */

const OTHER_SECRET = 'whsec_b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcm90'

/** The body of an event; the plug-in must use only the two ids in it. */
const eventOf = (checkoutId: string, orderId: number, type = 'payment.completed') =>
  JSON.stringify({
    id: 'evt_1',
    type,
    checkout_id: checkoutId,
    status: 'complete',
    metadata: { order_id: String(orderId) },
  })

test('an empty shop takes an order, is paid on the ledger, completes it by the webhook and refunds it: the money moves', async (t) => {
  const shop = await openWooShop(t)
  const { node } = shop.gateway.app.devnet!
  assert.deepEqual(await shop.save(), [])
  const id = await shop.order('12.50')
  const checkout = await shop.checkout(await shop.toPay(id))
  assert.deepEqual([checkout.price, checkout.metadata.order_id], ['12.50', String(id)])
  const before = fundsOf(node, shop.customer.address)
  const hash = await shop.send(checkout.address, checkout.amount_raw)
  const paid = await shop.untilStatus(id, 'processing')
  assert.deepEqual([paid.transaction, paid.happened], [hash, ['payment_complete']])

  assert.deepEqual(await shop.play('refund', { id, amount: '12.50' }), { success: true })
  await until(() => fundsOf(node, shop.customer.address) === before)
  await until(async () => /^Refund rfd_\w+ of \S+ nano has arrived\.$/.test((await shop.show(id)).notes.at(-1)!))
  const again = await shop.play<{ code: string; message: string }>('refund', { id, amount: '1.00' })
  assert.deepEqual(again, { code: 'nano_gateway_refund_too_large', message: 'There is nothing left to refund.' })
  assert.deepEqual((await shop.show(id)).refunds, ['12.50'], 'what was refused is not counted')
  assert.deepEqual(await shop.play('log'), [])
})

test('a payment completes its order once in 100 deliveries, repeated, reordered and four at a time', async (t) => {
  const shop = await openWooShop(t)
  await shop.save()
  const [id, other] = [await shop.order(), await shop.order()]
  const [checkoutId, otherCheckout] = [await shop.toPay(id), await shop.toPay(other)]
  const { address, amount_raw: raw } = await shop.checkout(checkoutId)
  // The signature is valid, but nothing was paid: the checkout's record decides, not the event.
  for (const body of [eventOf(checkoutId, id), eventOf(otherCheckout, id), eventOf('0'.repeat(16), other)]) {
    assert.equal(await shop.tell(body), 200)
  }
  assert.deepEqual((await shop.show(id)).happened, [])
  // No webhook gets through until all of them are sent at once.
  await shop.save({ webhook_secret: OTHER_SECRET })
  await shop.send(address, raw)
  await until(async () => (await shop.checkout(checkoutId)).status === 'complete')
  await shop.save()

  const random = new SeededRandom(SEED)
  const kinds = ['payment.completed', 'payment.detected', 'payment.partial', 'checkout.expired', 'refund.sent']
  const waiting = Array.from({ length: 100 }, () => eventOf(checkoutId, id, random.pick(kinds)))
  const statuses = new Set<number>()
  const deliver = async () => {
    for (let body = waiting.pop(); body !== undefined; body = waiting.pop()) statuses.add(await shop.tell(body))
  }
  await Promise.all(Array.from({ length: 4 }, deliver))
  assert.deepEqual([...statuses], [200])
  const shown = await shop.show(id)
  assert.deepEqual([shown.status, shown.happened, shown.notes.length], ['processing', ['payment_complete'], 1])
  assert.equal((await shop.show(other)).status, 'pending')
  assert.deepEqual(
    (await shop.play<string[]>('options')).filter((name) => name.includes('lock')),
    [],
  )
})

test('unsigned, forged and old events are refused; without a secret all events are', async (t) => {
  const shop = await openWooShop(t)
  const body = eventOf('0'.repeat(16), 1)
  assert.equal(await shop.tell(body, { secret: '' }), 503, 'an empty secret signs for nobody')
  await shop.save()
  assert.equal((await ask(shop.hook, { body })).status, 401)
  assert.equal((await ask(shop.hook, { method: 'GET' })).status, 401)
  assert.equal(await shop.tell(body, { secret: OTHER_SECRET }), 401)
  assert.equal(await shop.tell(body, { timestamp: Math.floor(Date.now() / 1_000) - 400 }), 401)
  for (const nonsense of ['', '7', '"x"', '[[', 'null']) assert.equal(await shop.tell(nonsense), 401, nonsense)
  for (const foreign of [
    '[]',
    '{"checkout_id":[],"metadata":7}',
    '{"checkout_id":"x","metadata":{"order_id":"1 OR 1"}}',
  ])
    assert.equal(await shop.tell(foreign), 200, foreign)
})

test('a checkout that is paid with another secret or address than the order has changes nothing but a note', async (t) => {
  const shop = await openWooShop(t)
  await shop.save()
  for (const change of ['metadata', 'address'] as const) {
    const id = await shop.order()
    const checkoutId = await shop.toPay(id)
    const changes = { metadata: { order_id: String(id), order_key: 'guessed' }, address: shop.customer.address }
    const put = { [change]: changes[change] }
    const reply = await shop.gateway.rest('PUT', `/api/checkouts/${checkoutId}`, shop.merchant.key, put)
    assert.equal(reply.status, 200, reply.text)
    await shop.gateway.rest('POST', `/developer/checkouts/${checkoutId}/pay`, undefined, { way: 'exactly' })
    await until(async () => (await shop.show(id)).notes.some((note) => /does not match this order/.test(note)))
    const { status, happened } = await shop.show(id)
    assert.deepEqual([status, happened], ['pending', []])
  }
})

test('while the secret is rotated at the gateway no payment is missed, with the old one here or the new', async (t) => {
  const shop = await openWooShop(t)
  await shop.save()
  const rotated = await shop.gateway.rest('POST', '/api/webhooks/secret/rotate', shop.merchant.key, {})
  for (const changed of [{}, { webhook_secret: rotated.json().webhook_secret! }]) {
    assert.deepEqual(await shop.save(changed), [])
    const id = await shop.order()
    const { address, amount_raw: raw } = await shop.checkout(await shop.toPay(id))
    await shop.send(address, raw)
    await shop.untilStatus(id, 'processing')
  }
})

test('a shop that no webhook reaches learns of a payment when the customer comes back', async (t) => {
  const shop = await openWooShop(t)
  await shop.save({ webhook_secret: OTHER_SECRET })
  const [id, unpaid] = [await shop.order(), await shop.order()]
  await shop.toPay(unpaid)
  const checkoutId = await shop.toPay(id)
  const { address, amount_raw: raw } = await shop.checkout(checkoutId)
  await shop.send(address, raw)
  await until(async () => (await shop.checkout(checkoutId)).status === 'complete')
  for (const each of [id, id, unpaid, 99]) await shop.play('thankyou', { id: each })
  assert.deepEqual((await shop.show(id)).happened, ['payment_complete'])
  assert.equal((await shop.show(unpaid)).status, 'pending')
})

test('an order that is paid in part waits on hold, is completed by the rest, and refunded only to an address that is sure', async (t) => {
  const shop = await openWooShop(t)
  await shop.save({ mode: 'generated_wallet' })
  const id = await shop.order()
  const { address, amount_raw: raw } = await shop.checkout(await shop.toPay(id))
  const half = BigInt(raw) / 2n
  await shop.send(address, half)
  const held = await shop.untilStatus(id, 'on-hold')
  assert.deepEqual(held.happened, ['status:on-hold'])
  assert.match(held.notes.join(), /^[\d.]+ of [\d.]+ nano was paid/)
  // The rest comes from another sender.
  await give(shop.gateway.app.devnet!.node, fromAddress(address)!, (BigInt(raw) - half) as Raw)
  assert.deepEqual((await shop.untilStatus(id, 'processing')).happened, ['status:on-hold', 'payment_complete'])
  const refused = await shop.play<{ code: string; message: string }>('refund', { id, amount: '12.50' })
  assert.equal(refused.code, 'nano_gateway_refund_address_required')
  assert.match(refused.message, /^The payment came from several addresses\. .* gateway’s dashboard\.$/)
  assert.deepEqual((await shop.show(id)).refunds, [])
})

test('an expired checkout cancels a pending order; a payment that is late or after a cancellation is held for the merchant', async (t) => {
  const shop = await openWooShop(t)
  await shop.save()
  const [unpaid, late, cancelled, elsewhere, twice] = await Promise.all(
    ['1', '2', '3', '4', '5'].map((total) => shop.order(total)),
  )
  const checkouts = new Map<number, string>()
  for (const id of [unpaid!, late!, cancelled!, elsewhere!, twice!]) checkouts.set(id, await shop.toPay(id))
  const develop = (id: number, verb: string, fields = {}) =>
    shop.gateway.rest('POST', `/developer/checkouts/${checkouts.get(id)}/${verb}`, undefined, fields)

  for (const id of [elsewhere, twice]) await shop.play('change', { id, status: 'processing', method: 'bacs' })
  for (const id of [unpaid!, elsewhere!]) await develop(id, 'expire')
  assert.match((await shop.untilStatus(unpaid!, 'cancelled')).notes.join(), /ended unpaid/)
  assert.equal(await shop.tell(eventOf(checkouts.get(elsewhere!)!, elsewhere!, 'checkout.expired')), 200)
  assert.equal((await shop.show(elsewhere!)).status, 'processing')

  await develop(twice!, 'pay', { way: 'exactly' })
  await until(async () => (await shop.show(twice!)).notes.length > 0)
  const { notes, happened } = await shop.show(twice!)
  assert.match(notes.join(), /was already paid, and checkout \S+ paid it again/)
  assert.deepEqual(happened, ['status:processing'])

  await shop.play('change', { id: late, status: 'cancelled' })
  await develop(late!, 'pay', { way: 'late' })
  assert.match((await shop.untilStatus(late!, 'on-hold')).notes.join(), /was paid after it had expired/)
  // The merchant accepts it at the gateway.
  await shop.gateway.rest('POST', `/api/checkouts/${checkouts.get(late!)}/mark`, shop.merchant.key, {})
  assert.equal((await shop.untilStatus(late!, 'processing')).happened.at(-1), 'payment_complete')

  await shop.play('change', { id: cancelled, status: 'cancelled' })
  await develop(cancelled!, 'pay', { way: 'exactly' })
  await shop.untilStatus(cancelled!, 'on-hold')
  // Further webhooks must not change the order, before and after the merchant's decision.
  for (const status of ['on-hold', 'completed']) {
    await shop.play('change', { id: cancelled, status })
    assert.equal(await shop.tell(eventOf(checkouts.get(cancelled!)!, cancelled!)), 200)
    const shown = await shop.show(cancelled!)
    assert.deepEqual([shown.status, shown.notes.length], [status, 1])
  }
  assert.ok(!(await shop.show(cancelled!)).happened.includes('payment_complete'))
})

test('an unpaid order keeps its checkout while its price is the same; the price before is paid for nothing', async (t) => {
  const shop = await openWooShop(t)
  await shop.save()
  const id = await shop.order('10.00')
  const both = await Promise.all([shop.toPay(id), shop.toPay(id)])
  const first = both[0]
  assert.deepEqual(both, [first, first], 'two clicks at once are one checkout')
  assert.equal(await shop.toPay(id), first)
  await shop.play('change', { id, total: '20.00' })
  const second = await shop.toPay(id)
  assert.notEqual(second, first)
  assert.deepEqual((await shop.show(id)).checkouts, [first, second])
  const [old, current] = [await shop.checkout(first), await shop.checkout(second)]
  assert.deepEqual([old.status, current.status, current.price], ['cancelled', 'pending', '20.00'])

  await shop.send(old.address, old.amount_raw)
  assert.deepEqual((await shop.untilStatus(id, 'on-hold')).happened, ['status:on-hold'])
  // The merchant changes the price while the customer pays.
  await shop.play('change', { id, status: 'pending', total: '25.00' })
  await shop.send(current.address, current.amount_raw)
  const held = await shop.untilStatus(id, 'on-hold')
  assert.match(held.notes.at(-1)!, /for a checkout of 20\.00 EUR, but the order costs 25\.00 EUR/)
  const stopped = await shop.play<{ result: string; notices: string[] }>('pay', { id })
  assert.deepEqual([stopped.result, (await shop.show(id)).checkouts.length], ['failure', 2], 'nobody is to pay twice')
})

test('a gateway whose answers get lost makes one checkout and gives one refund', async (t) => {
  const shop = await openWooShop(t)
  const relay = await openLossyRelay(t, shop)
  await shop.save({ gateway_url: relay.url })
  const id = await shop.order()
  relay.lose(/^POST \/api\/checkouts$/)
  const failed = await shop.play<{ result: string; notices: string[] }>('pay', { id })
  assert.equal(failed.result, 'failure')
  assert.match(failed.notices.join(), /^error: Payment with nano is not available at the moment/)
  const checkoutId = await shop.toPay(id)
  assert.deepEqual(relay.made, [checkoutId])
  const { address, amount_raw: raw } = await shop.checkout(checkoutId)
  await shop.send(address, raw)
  await shop.untilStatus(id, 'processing')

  relay.lose(/\/refunds$/)
  const lost = await shop.play<{ message: string }>('refund', { id, amount: '5.00' })
  assert.match(lost.message, /Request the same amount again: it is sent only once/)
  assert.deepEqual(await shop.play('refund', { id, amount: '5.00' }), { success: true })
  const countAtGateway = async () => {
    const reply = await shop.gateway.rest('GET', `/api/checkouts/${checkoutId}/refunds`, shop.merchant.key)
    return reply.json<{ refunds: object[] }>().refunds.length
  }
  assert.equal(await countAtGateway(), 1)
  // A second refund of the same amount is a new refund.
  assert.deepEqual(await shop.play('refund', { id, amount: '5.00' }), { success: true })
  assert.deepEqual([await countAtGateway(), (await shop.show(id)).refunds], [2, ['5.00', '5.00']])
})

/** A proxy in front of the gateway that, on request, closes the connection instead of passing on the next matching answer. */
async function openLossyRelay(t: TestContext, { gateway }: WooShop) {
  let losing: RegExp | undefined
  const made = new Set<string>()
  const url = await serveWhole(t, async (body, { method = '', url: path = '', headers }, response) => {
    const { host: _host, ...passed } = headers as Record<string, string>
    const asked = ask(`${gateway.url}${path}`, { method, headers: passed, ...(body && { body }) })
    // At the end of a test the gateway may stop before the shop does.
    const reply = await asked.catch(() => response.destroy())
    if (!('text' in reply)) return
    if (method === 'POST' && path === '/api/checkouts') made.add(reply.json().id!)
    if (losing?.test(`${method} ${path}`)) {
      losing = undefined
      response.destroy()
    } else response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.text)
  })
  return {
    url,
    /** The checkouts in the gateway's answers. */
    get made() {
      return [...made]
    },
    lose: (pattern: RegExp) => void (losing = pattern),
  }
}
