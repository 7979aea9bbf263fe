import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NanoPaymentProvider } from '../../src/medusa/index.ts'
import { turnUntil, untilStatus } from '../support/checkout-steps.ts'
import { PAYER } from '../support/refund-steps.ts'
import { SEED, SeededRandom } from '../support/random.ts'
import { SECRET, type Session, openMedusaShop } from './shop.ts'
import { another } from '../support/another.ts'

/* Calls the provider as Medusa does, on a whole gateway and its ledger. `framework.test.ts` uses the real Medusa. */

/** With the session's id, which only Medusa provides. */
const byMedusa = (data: Session) => ({ data, context: { idempotency_key: data.session_id } })

const statusOf = async (provider: NanoPaymentProvider, data: Session) =>
  (await provider.authorizePayment(byMedusa(data))).status

test('an option that cannot work stops the shop from opening, and is named without its value', () => {
  const good = { url: 'https://pay.example', key: 'rpc_sk_2p7RkAq0eXbV', address: PAYER, webhookSecret: SECRET }
  const refused = (options: object, name: string) =>
    assert.throws(
      () => NanoPaymentProvider.validateOptions(options),
      ({ message }: Error) => message.includes(`Option \`${name}\``) && !/hunter2/.test(message),
    )
  NanoPaymentProvider.validateOptions({ ...good, webhookUrl: '', title: undefined })
  for (const name of Object.keys(good)) {
    refused({ ...good, [name]: undefined }, name)
    refused({ ...good, [name]: '-hunter2\n' }, name)
  }
  refused({ ...good, key: 'rpc_pk_hunter2' }, 'key')
  for (const name of ['webhookUrl', 'successUrl', 'cancelUrl', 'mode', 'refundFrom', 'refundRate', 'webhook_secret']) {
    refused({ ...good, [name]: 'hunter2' }, name)
  }
  refused(undefined as unknown as object, 'url')
})

test('a session is a checkout at the price of the shop, captured when the gateway says that it is paid', async (t) => {
  const { provider, shop, begin, pay, merchant } = await openMedusaShop(t, {
    webhookUrl: 'https://shop.example/hooks/payment/nano_gateway',
    successUrl: 'https://shop.example/paid?session={session_id}',
    title: 'Order',
  })
  // Data added by the visitor must be ignored; amounts come in all of Medusa's forms.
  const lie = { checkout_id: 'f'.repeat(16), amount: '0.01', refunds: [{ id: 'rfd_1', amount: '10' }] }
  const session = await begin('payses_1', { value: '10.004999999999999999', precision: 20 }, lie)
  assert.deepEqual([session.currency, session.amount, session.refunds], ['EUR', '10', []])
  assert.equal(session.url, `${shop.url}/pay/${session.checkout_id}`)
  assert.ok(!JSON.stringify(session).includes(SECRET.slice(6)))
  const own = await shop.rest('GET', `/api/checkouts/${session.checkout_id}`, merchant.key)
  const { checkout } = own.json<{ checkout: Record<string, unknown> }>()
  assert.deepEqual(
    [checkout.price, checkout.currency, checkout.metadata, checkout.webhook_secret_set, checkout.success_url],
    ['10', 'EUR', { shop: 'medusa', session_id: 'payses_1' }, true, 'https://shop.example/paid?session=payses_1'],
  )
  const again = await begin('payses_1', 10)
  assert.equal(again.checkout_id, session.checkout_id)

  assert.equal(await statusOf(provider, session), 'pending')
  await assert.rejects(provider.capturePayment({ data: session }), { code: 'not_paid' })
  await pay(session)
  await untilStatus(shop, session.checkout_id, 'complete')
  const { status, data } = await provider.authorizePayment(byMedusa(session))
  assert.deepEqual([status, data.checkout_status, data.payer], ['captured', 'complete', PAYER])
  assert.equal((await provider.getPaymentStatus({ data: session })).status, 'captured')
  await provider.capturePayment({ data })

  // A paid checkout pays only for its own session at its own price.
  const other = await begin('payses_2', 10)
  const borrowed = { ...other, checkout_id: session.checkout_id }
  for (const data of [borrowed, { ...session, amount: '20' }, { ...session, currency: 'USD' }]) {
    await assert.rejects(provider.authorizePayment(byMedusa(data)), { code: 'foreign_checkout' })
  }
  // Nor for a new session into which a visitor has copied the data of a paid one.
  const stolen = { data: session, context: { idempotency_key: 'payses_3' } }
  await assert.rejects(provider.authorizePayment(stolen), { code: 'foreign_checkout' })
  await assert.rejects(provider.authorizePayment({ data: session }), { code: 'foreign_checkout' })
  // A paid session cannot be deleted or cancelled.
  for (const end of [provider.deletePayment, provider.cancelPayment]) {
    await assert.rejects(end.call(provider, { data: session }), { code: 'already_paid', type: 'not_allowed' })
  }
})

test('an underpayment waits, the rest completes it, an overpayment is reported, and an expired payment is canceled', async (t) => {
  const { provider, shop, begin, world } = await openMedusaShop(t, { mode: 'generated_wallet' })
  const session = await begin('payses_1', '3.5')
  const page = await shop.rest('GET', `/checkout/${session.checkout_id}`)
  const { address, amount_raw: asked } = page.json()
  await world.pay(address!, (BigInt(asked!) / 2n).toString())
  await untilStatus(shop, session.checkout_id, 'partial')
  assert.equal(await statusOf(provider, session), 'requires_more')
  await assert.rejects(provider.deletePayment({ data: session }), { code: 'already_paid' })
  await assert.rejects(provider.capturePayment({ data: session }), { code: 'not_paid' })
  await world.pay(address!, asked!)
  await untilStatus(shop, session.checkout_id, 'complete')
  const { status, data } = await provider.authorizePayment(byMedusa(session))
  assert.deepEqual([status, data.additional_status], ['captured', 'overpaid'])
  assert.ok(Number(data.amount_excess) > 0)

  const late = await begin('payses_2', 4)
  world.clock.leap(40 * 86_400_000)
  await turnUntil(world, 1_000, async () => (await shop.check(late.checkout_id)).status === 'expired')
  assert.equal(await statusOf(provider, late), 'canceled')
  await provider.deletePayment({ data: late })
})

test('another price is another checkout: the old one takes no payment any more, and one that was paid stays', async (t) => {
  const { provider, shop, begin, pay } = await openMedusaShop(t)
  const session = await begin('payses_1', 10)
  const update = async (data: Session, amount: number) =>
    (await provider.updatePayment({ data, amount, currency_code: 'eur' })).data as Session
  assert.equal((await update(session, 10)).checkout_id, session.checkout_id)
  const [moreExpensive, same] = [await update(session, 12), await update(session, 12)]
  assert.notEqual(moreExpensive.checkout_id, session.checkout_id)
  assert.equal(same.checkout_id, moreExpensive.checkout_id)
  assert.equal((await shop.check(session.checkout_id)).status, 'cancelled')
  // Changing back to the first price makes a third checkout, because the first has ended.
  const back = await update(moreExpensive, 10)
  assert.equal(new Set([session, moreExpensive, back].map((each) => each.checkout_id)).size, 3)
  await pay(back)
  await untilStatus(shop, back.checkout_id, 'complete')
  await assert.rejects(update(back, 11), { code: 'already_paid' })
  assert.equal(await statusOf(provider, await update(back, 10)), 'captured')

  const dropped = await begin('payses_2', 1)
  const { data } = await provider.deletePayment({ data: dropped })
  assert.equal(data.checkout_status, 'cancelled')
  assert.equal(await statusOf(provider, dropped), 'canceled')
  // A session whose checkout was never made.
  await provider.deletePayment({ data: { session_id: 'payses_3' } })
})

test('a hundred webhooks, repeated, late and in any order, lead to one result: the present state at the gateway', async (t) => {
  const { provider, shop, begin, hooks, world, warnings } = await openMedusaShop(t, {
    mode: 'generated_wallet',
    webhookUrl: 'https://shop.example/hook',
  })
  const session = await begin('payses_1', '3.5')
  const { address, amount_raw: asked } = (await shop.rest('GET', `/checkout/${session.checkout_id}`)).json()
  await world.pay(address!, (BigInt(asked!) / 2n).toString())
  await untilStatus(shop, session.checkout_id, 'partial')
  const [partial] = await hooks(session.checkout_id)
  assert.equal((await provider.getWebhookActionAndData(partial!)).action, 'requires_more')
  await world.pay(address!, asked!)
  await untilStatus(shop, session.checkout_id, 'complete')

  const events = await hooks(session.checkout_id)
  assert.deepEqual(events.map(({ data }) => data.type).sort(), ['payment.completed', 'payment.partial'])
  const random = new SeededRandom(SEED)
  // Medusa may process the webhooks a day later.
  world.clock.leap(86_400_000)
  const told = await Promise.all(
    Array.from({ length: 100 }, () => provider.getWebhookActionAndData(random.pick(events))),
  )
  const captured = { action: 'captured', data: { session_id: 'payses_1', amount: '3.5' } }
  for (const each of told) assert.deepEqual(each, captured)

  const [genuine] = events
  const forged = await hooks(session.checkout_id, 'another secret')
  const changed = { ...genuine!, rawData: Buffer.from(genuine!.rawData.toString().replace('payses_1', 'payses_2')) }
  const bare = { ...genuine!, headers: { 'nano-signature': genuine!.headers['Nano-Signature']! } }
  for (const hook of [forged[0]!, changed, bare, { ...genuine!, headers: {} }]) {
    await assert.rejects(provider.getWebhookActionAndData(hook), /Option `webhookSecret`/)
  }
  assert.deepEqual(warnings, [])
})

test('an error caused by an option names the option, and reveals no address or key', async (t) => {
  const { shop, merchant, options, begin } = await openMedusaShop(t)
  const session = await begin('payses_1', 10)
  const made = await shop.rest('POST', '/api/keys', merchant.key, { name: 'reads', scopes: ['read'] })
  const { key: readsOnly } = made.json()
  const asked = (more: object) =>
    new NanoPaymentProvider({}, { ...options, ...more }).authorizePayment(byMedusa(session))
  const says = (name: string) => (error: Error) =>
    error.message.includes(`Option \`${name}\``) &&
    !error.message.includes('127.0.0.1') &&
    !/rpc_sk_/.test(error.message)
  await assert.rejects(asked({ url: 'http://127.0.0.1:1' }), says('url'))
  const wrong = another(merchant.key)
  await assert.rejects(asked({ key: wrong }), says('key'))
  await assert.rejects(asked({ key: readsOnly }), says('key'))
  const make = (more: object, currency_code = 'eur') => {
    const data = { session_id: `payses_${currency_code}` }
    return new NanoPaymentProvider({}, { ...options, ...more }).initiatePayment({ amount: 1, currency_code, data })
  }
  await assert.rejects(make({ expire: 'tomorrow' }), says('expire'))
  await assert.rejects(make({ address: '@nobody' }), says('address'))
  await assert.rejects(make({}, 'xxx'), { code: 'invalid_currency', type: 'not_allowed' })
})
