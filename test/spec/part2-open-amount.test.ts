import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '../support/engines.ts'
import { ask } from '../support/gateway.ts'
import { readQr } from '../support/read-qr.ts'
import {
  bearer,
  listEvents,
  type Made,
  merchant,
  nano,
  openShop,
  openWorld,
  type Shop,
  show,
  stranger,
  turnUntil,
  untilStatus,
  type World,
} from '../support/checkout-steps.ts'

/* Open amounts: a choice belongs to the visitor who made it, and every report shows what was paid. */

const address = merchant.address
/** All visitors come through one proxy, which names their addresses. */
const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.1' }

interface Chosen extends Made {
  browser: string
}

const from = (visitor: string) => ({ 'x-forwarded-for': visitor })
const choose = (shop: Shop, id: string, amount: string, visitor = '203.0.113.1') =>
  ask(`${shop.url}/pay/${id}/amount`, { headers: from(visitor), body: JSON.stringify({ amount }) })
const chosenBy = async (shop: Shop, id: string, amount: string, visitor?: string) => {
  const reply = await choose(shop, id, amount, visitor)
  assert.equal(reply.status, 200, reply.text)
  return reply.json<Chosen>()
}
const page = async (url: string) => (await ask(url, { method: 'GET', headers: { accept: 'text/html' } })).text

/** Every number reported about a paid checkout. */
async function told(world: World, shop: Shop, id: string) {
  const check = await shop.check(id)
  const record = (await shop.rest('GET', `/checkout/${id}`)).json<Made>()
  const { checkout, payments } = await show(shop, id, world.key())
  const [event] = (await listEvents(shop, id)).map(
    ({ body }) => JSON.parse(body) as { plan: { value_raw: string }; payment: { amount_raw: string } },
  )
  const report = (await shop.call('checkout_report', {}, bearer(world.key()))).json<{
    checkouts: Record<string, string>[]
    revenue: { NANO: { amount_raw: string } }
  }>()
  const csv = (await shop.rest('GET', '/api/checkouts/export.csv', world.key())).text
  return {
    amounts: [
      check.amount_raw,
      check.amount_paid_raw,
      record.amount_raw,
      checkout.amount_raw,
      checkout.amount_paid_raw,
      payments[0]!.amount_raw,
      event!.plan.value_raw,
      event!.payment.amount_raw,
      report.checkouts[0]!.amount_raw,
      report.revenue.NANO.amount_raw,
    ],
    prices: [checkout.price, report.checkouts[0]!.price],
    csv,
  }
}

for (const engine of ENGINES) {
  test(`${engine}: choose a cent, choose a thousand, pay the cent: nobody is notified of a thousand (contract 2, Checkout modes: neither amount nor plans; 2, rule 24)`, async (t) => {
    const world = await openWorld(t, engine)
    const shop = await world.start(BEHIND_PROXY)
    const { id } = await shop.open({ address }, bearer(world.key()))
    const cent = await chosenBy(shop, id, '0.01')
    const thousand = await chosenBy(shop, id, '1000')
    assert.notEqual(cent.amount_raw, thousand.amount_raw)
    await world.pay(address, cent.amount_raw)
    await untilStatus(shop, id, 'complete')
    const { amounts, prices, csv } = await told(world, shop, id)
    assert.deepEqual(new Set(amounts), new Set([cent.amount_raw]))
    assert.deepEqual(prices, ['0.01', '0.01'])
    assert.doesNotMatch(csv, /,1000\b/)
    const receipt = await page(`${shop.url}/pay/${id}/receipt`)
    assert.ok(receipt.includes('0.010'), receipt)
    for (const text of [receipt, await page(`${shop.url}/pay/${id}`), await page(thousand.browser)]) {
      assert.doesNotMatch(text, /1,?000\./)
    }
    const record = await ask(thousand.browser, { method: 'GET', headers: { accept: 'application/json' } })
    assert.equal(record.json().amount_raw, cent.amount_raw, 'nor a program that follows the link of its choice')
  })
}

test('another visitor’s choice changes nothing on my page, and twenty visitors do not use it up (contract 2, rule 24; 4.6, Payment verification: POST /pay/<id>/amount; 8, Checkout: choices of one visitor, where the payer says how much)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start(BEHIND_PROXY)
  const { id } = await shop.open({ address })
  const mine = await chosenBy(shop, id, '5')
  const amountOn = async (url: string) => /data-amount="(\d*)"/.exec(await page(url))?.[1]
  assert.equal(await amountOn(mine.browser), mine.amount_raw)
  for (let at = 0; at < 20; at++) await chosenBy(shop, id, `${at + 6}`, '203.0.113.66')
  const more = await choose(shop, id, '99', '203.0.113.66')
  assert.deepEqual([more.status, more.json<{ code: string }>().code], [429, 'too_many_requests'])
  assert.equal(await amountOn(mine.browser), mine.amount_raw)
  // Visitors who open the link without a choice see the form.
  assert.match(await page(`${shop.url}/pay/${id}`), /data-state="choose"/)
  assert.equal((await shop.check(id)).amount, null)
  // Choosing the same price again gives the same amount, without using up the visitor's limit.
  assert.equal((await chosenBy(shop, id, '5.00', '203.0.113.66')).amount_raw, mine.amount_raw)
  assert.equal((await choose(shop, id, '7.5', '203.0.113.2')).status, 200)
  const reserved = await shop.app.store.db.selectFrom('checkout_reservations').select('amount_raw').execute()
  assert.equal(reserved.length, 22)
  // An amount in the URL that was never given out is ignored.
  assert.match(await page(`${shop.url}/pay/${id}?choice=${nano('1')}`), /data-state="choose"/)
})

test('without a price there is no link that could never complete it: the picture leads to the page, where the payer types in its currency, and that is the price (contract 2, Checkout modes: neither amount nor plans; 2, Checkout response: link, qrcode)', async (t) => {
  const { world, shop } = await openShop(t)
  const { id, ...made } = await shop.open({ address, currency: 'EUR' }, bearer(world.key()))
  const record = (await shop.rest('GET', `/checkout/${id}`)).json<Made>()
  for (const one of [made, record]) {
    assert.equal('link' in one, false)
    assert.equal(readQr(one.qrcode), `${shop.url}/pay/${id}`)
  }
  const gift = await shop.open({ address: stranger.address, mode: 'unique_address' })
  assert.equal(gift.link, `nano:${stranger.address}`)
  assert.deepEqual([made.currency, 'amount' in made], ['EUR', false])
  assert.match(await page(`${shop.url}/pay/${id}`), /Amount in EUR/)
  const wrong = await choose(shop, id, '0.0000000001')
  assert.deepEqual([wrong.status, wrong.json<{ code: string }>().code], [400, 'invalid_amount'])
  const chosen = await chosenBy(shop, id, '20')
  assert.equal(chosen.link, `nano:${address}?amount=${chosen.amount_raw}`)
  assert.equal(readQr(chosen.qrcode), chosen.link)
  assert.match(await page(chosen.browser), /€20\.00/)
  // The quote is valid for 15 minutes. Afterwards the same price is requested with another amount, and the old amount still counts.
  world.clock.advance(16 * 60_000)
  const anew = await chosenBy(shop, id, '20')
  assert.notEqual(anew.amount_raw, chosen.amount_raw)
  await world.pay(address, chosen.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(id)).success)
  const check = await shop.check(id)
  assert.deepEqual([check.amount_raw, check.amount_paid_raw], [chosen.amount_raw, chosen.amount_raw])
  const { checkout } = await show(shop, id, world.key())
  assert.deepEqual([checkout.currency, checkout.fiat_amount], ['EUR', '20.00'])
  const stats = await shop.rest('GET', '/api/checkouts/stats', world.key())
  assert.equal(stats.json<{ revenue: { EUR: { amount: string } } }>().revenue.EUR.amount, '20.00')
  // As a template it is used as it was made: without a price.
  const next = await shop.open({ template: id }, bearer(world.key()))
  assert.deepEqual([next.currency, 'amount' in next, 'fiat_amount' in next], ['EUR', false, false])
})
