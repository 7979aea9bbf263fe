import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listCapturedMail } from '../../../infra/mail/captured.ts'
import { listCheckouts } from '../report-store.ts'
import { type Shop, openShop, untilStatus } from '../../../../test/support/checkout-steps.ts'
import { type Refund, openRefundShop } from '../../../../test/support/refund-steps.ts'
import { until } from '../../../../test/support/until.ts'

/* Who bought, and the mails that buyers get. */

const mailsOf = async (shop: Shop, to: string) =>
  (await listCapturedMail(shop.app.store.db, 100)).filter(({ recipient }) => recipient === to)
const leave = (shop: Shop, id: string, email: unknown, lang = 'en') =>
  shop.rest('POST', `/pay/${id}/email`, undefined, { email, lang })

test('a customer who paid a one-time sale had nothing in the mailbox: neither for the payment nor for the refund', async (t) => {
  const { world, shop, merchant, wallet, refund, untilRefund } = await openRefundShop(t)
  const made = await shop.open({ address: wallet, amount: '2', title: 'Grinder brush' }, merchant.headers)
  assert.equal((await leave(shop, made.id, 'typo@example.com')).status, 200)
  assert.equal((await leave(shop, made.id, 'Marta@example.com', 'de')).status, 200)
  await world.pay(made.address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  await until(async () => (await mailsOf(shop, 'Marta@example.com')).length === 1)
  const [receipt] = await mailsOf(shop, 'Marta@example.com')
  assert.equal(receipt!.subject, 'Ihr Beleg')
  assert.match(receipt!.text, /Grinder brush/)
  assert.match(receipt!.text, new RegExp(`/pay/${made.id}/receipt\\?lang=de`))
  assert.deepEqual(await mailsOf(shop, 'typo@example.com'), [])

  const own = (await shop.rest('GET', `/api/checkouts/${made.id}`, merchant.key)).json<{
    checkout: { buyer: unknown }
  }>()
  assert.deepEqual(own.checkout.buyer, { name: null, email: 'Marta@example.com' })
  // What everybody with the link can read does not name the buyer.
  for (const path of ['check', 'checkout', 'pay']) {
    assert.doesNotMatch((await shop.rest('GET', `/${path}/${made.id}`)).text, /marta/i, path)
  }
  const { hash } = (await refund(made.id)).json<Refund>()
  assert.ok(hash)
  await untilRefund(made.id, 'sent')
  await until(async () => (await mailsOf(shop, 'Marta@example.com')).length === 2)
  const back = (await mailsOf(shop, 'Marta@example.com')).find(({ subject }) => subject === 'Ihre Rückzahlung')
  assert.match(back!.text, /zurückgesendet/)
})

// Somebody with the link of a paid order could have entered an address of their own to collect the refund.
test('the link of a refund goes to the address given before the payment, not to a later one', async (t) => {
  const { shop, sell, refund, untilRefund } = await openRefundShop(t)
  const known = await sell({ buyer: { name: 'Marta', email: 'marta@example.com' } })
  const late = await sell()
  assert.equal((await leave(shop, late.id, 'thief@example.com')).status, 200)
  await until(async () => (await mailsOf(shop, 'thief@example.com')).length === 1)
  for (const { id } of [known, late]) {
    await refund(id, { as: 'link', amount: '1' })
    await untilRefund(id, 'waiting_for_claim')
  }
  await until(async () => (await mailsOf(shop, 'marta@example.com')).length === 2)
  const links = (await mailsOf(shop, 'marta@example.com')).filter(({ text }) => text.includes('/claim#'))
  assert.equal(links.length, 1)
  assert.equal((await mailsOf(shop, 'thief@example.com')).length, 1)
})

test('who had the link of an order that was paid in part put their own address in place of the payer’s and got the money back', async (t) => {
  const { world, shop, merchant, wallet, refund, untilRefund } = await openRefundShop(t)
  const sellPart = async (email?: string) => {
    const made = await shop.open({ address: wallet, amount: '2', mode: 'generated_wallet' }, merchant.headers)
    if (email !== undefined) assert.equal((await leave(shop, made.id, email)).status, 200)
    await world.pay(made.address, `${BigInt(made.amount_raw) / 2n}`)
    await untilStatus(shop, made.id, 'partial')
    return made
  }
  const named = await sellPart('marta@example.com')
  assert.equal((await leave(shop, named.id, 'thief@example.com')).status, 409)
  const unnamed = await sellPart()
  assert.equal((await leave(shop, unnamed.id, 'thief@example.com')).status, 200)
  for (const { id } of [named, unnamed]) {
    await refund(id, { as: 'link' })
    await untilRefund(id, 'waiting_for_claim')
  }
  await until(async () => (await mailsOf(shop, 'marta@example.com')).length === 1)
  assert.deepEqual(await mailsOf(shop, 'thief@example.com'), [])
})

test('a stranger made the gateway mail a text of theirs to many addresses through a payment page', async (t) => {
  const { world, shop, key } = await openShop(t)
  const { address } = (
    await shop.call('cloud_wallet', { wallet_action: 'create_wallet' }, { authorization: `Bearer ${key}` })
  ).json<{ address: string }>()
  const titled = { address, amount: '1', title: 'CALL 555 NOW' }
  const made = await shop.open(titled)
  // A payer may correct the address a few times.
  const tried = []
  for (let at = 0; at < 5; at++) tried.push((await leave(shop, made.id, `victim${at}@example.com`)).status)
  assert.deepEqual(tried, [200, 200, 200, 409, 409])
  // One network address may leave only a few a day on pages without an account. The share of others is not affected.
  const others = []
  for (let at = 0; at < 4; at++)
    others.push((await leave(shop, (await shop.open(titled)).id, `v${at}@example.com`)).status)
  assert.deepEqual(others, [200, 200, 429, 429])
  const own = await shop.open(titled, { authorization: `Bearer ${key}` })
  assert.equal((await leave(shop, own.id, 'customer@example.com')).status, 200)
  assert.equal((await leave(shop, own.id, 'not an address')).status, 400)
  // Nothing is mailed without a payment, and no mail contains text from somebody without an account.
  assert.deepEqual(await listCapturedMail(shop.app.store.db, 10), [])
  await world.pay(made.address, made.amount_raw)
  await until(async () => (await mailsOf(shop, 'victim2@example.com')).length === 1)
  const [mail] = await mailsOf(shop, 'victim2@example.com')
  assert.equal(mail!.subject, 'Your receipt')
  assert.doesNotMatch(mail!.text, /555/)
  assert.equal((await leave(shop, made.id, 'other@example.com')).status, 409)
})

test('a merchant searched for a customer or an invoice number and found nothing', async (t) => {
  const { shop, key } = await openShop(t)
  const headers = { authorization: `Bearer ${key}` }
  const { address } = (await shop.call('cloud_wallet', { wallet_action: 'create_wallet' }, headers)).json<{
    address: string
  }>()
  const sell = (fields: object) => shop.open({ address, amount: '1', ...fields }, headers)
  const marta = await sell({ buyer: { name: 'Marta Kowalska', email: 'marta@kowalska.example' } })
  const lines = [{ title: 'Beans', price: '1' }]
  const nord = await sell({ invoice: { number: '2026-0041', buyer: { name: 'Studio Nord' }, lines } })
  await sell({ title: 'Nothing' })
  const find = async (text: string) =>
    (await listCheckouts(shop.app.store.db, 'sqlite', { text }, { limit: 10 })).map(({ id }) => id)
  for (const text of ['kowalska', 'MARTA', 'marta@kowalska.example'])
    assert.deepEqual(await find(text), [marta.id], text)
  for (const text of ['studio nord', '2026-0041']) assert.deepEqual(await find(text), [nord.id], text)
})

test('receipts and invoices of a shop in Kolkata had the times of Greenwich, half a day off in its books', async (t) => {
  const { world, shop, merchant, wallet } = await openRefundShop(t)
  const profile = { name: 'Spice & Tea', time_zone: 'Asia/Kolkata' }
  assert.equal((await shop.rest('PUT', '/api/account/profile', merchant.key, profile)).status, 200)
  const order = { lines: [{ title: 'Chai', quantity: 1, price: '2' }] }
  const made = await shop.open(
    { address: wallet, amount: '2', invoice: order, buyer: { email: 'marta@example.com' } },
    merchant.headers,
  )
  const timeOn = async (path: string) => {
    const { text } = await shop.rest('GET', `/pay/${made.id}/${path}?lang=en`)
    const [, at, title, shown] = /<time datetime="([^"]+)" title="([^"]+)">([^<]+)</.exec(text)!
    const style = { dateStyle: 'long', timeStyle: 'long' } as const
    const timeIn = (timeZone: string) => new Intl.DateTimeFormat('en', { ...style, timeZone }).format(Date.parse(at!))
    assert.equal(shown, `${timeIn('Asia/Kolkata')} (Asia/Kolkata)`, path)
    assert.equal(title, timeIn('UTC'))
    return shown
  }
  await timeOn('invoice')
  await world.pay(made.address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  await until(async () => (await mailsOf(shop, 'marta@example.com')).length === 1)
  const paid = await timeOn('receipt')
  assert.equal(await timeOn('invoice'), paid)
  const [mail] = await mailsOf(shop, 'marta@example.com')
  assert.ok(mail!.text.includes(paid), mail!.text)
})
