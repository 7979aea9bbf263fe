import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer, nano, turnUntil } from '../support/checkout-steps.ts'
import { until } from '../support/until.ts'
import {
  type Offer,
  assertAccounted,
  lease,
  offer,
  openStall,
  priceOf,
  untilOrder,
  untilQuiet,
  untilRefunded,
} from '../support/username-steps.ts'
import { row } from './row.ts'

/* Contract 8: what the service sells, its prices and periods. */

const DAY = 86_400

/** The price of each period, and the end of a lease that begins with the test. */
const LEASES: Record<string, [price: string, end: string]> = {
  '2 Days': ['0.01', '2026-11-17'],
  '1 Month': ['0.05', '2026-12-15'],
  '1 Year': ['0.3', '2027-11-15'],
  '2 Years': ['0.5', '2028-11-15'],
  '5 Years': ['3', '2031-11-15'],
  '10 Years': ['10', '2036-11-15'],
}

/** Each plan costs its price plus unique digits below half a percent. */
function assertPrices({ plans }: Pick<Offer, 'plans'>, prices: Record<string, string>): void {
  assert.deepEqual(
    plans.map(({ title }) => title),
    Object.keys(prices),
  )
  for (const { title, value, value_raw: raw } of plans) {
    const price = nano(prices[title]!)
    assert.equal(nano(value).toString(), raw)
    const tail = BigInt(raw) - price
    assert.ok(tail > 0n && tail * 1_000n < price * 5n, `${title}: ${value}`)
  }
  assert.equal(new Set(plans.map(({ value_raw: raw }) => raw)).size, plans.length)
}

test('three plans of credits, each with its tail; what was bought is added when the payment is confirmed, once (contract 8, rules 1 and 11)', async (t) => {
  const { market, shop, person: buyer } = await openStall(t)
  const { key } = await shop.join()
  const made = (await shop.call('buy_rpc', {}, bearer(key))).json<Offer>()
  row('8, Credits: 1,000 Credits, 10,000 Credits, 20,000 Credits', () =>
    assertPrices(made, { '1,000 Credits': '0.2', '10,000 Credits': '2', '20,000 Credits': '4' }),
  )
  const credits = async () => (await shop.call('rpc_credits', {}, bearer(key))).json<{ credits: number }>().credits
  market.ledger.node.hold()
  await market.send(buyer, made.address, priceOf(made, '1,000 Credits'))
  await turnUntil(market, 5_000, async () => (await shop.check(made.id)).status === 'detected')
  assert.equal(await credits(), 0, 'seen is not confirmed')
  await market.ledger.node.release()
  await untilOrder(shop, made.id, 'applied')
  assert.equal(await credits(), 1_000)
  await market.send(buyer, made.address, priceOf(made, '1,000 Credits'))
  await untilRefunded(market, shop, made.id)
  assert.equal(await credits(), 1_000)
  for (const [title, total] of [
    ['10,000 Credits', 11_000],
    ['20,000 Credits', 31_000],
  ] as const) {
    const more = (await shop.call('buy_rpc', {}, bearer(key))).json<Offer>()
    await market.send(buyer, more.address, priceOf(more, title))
    await untilOrder(shop, more.id, 'applied')
    assert.equal(await credits(), total)
  }
  await assertAccounted(market, shop)

  const dear = await market.start({ CREDIT_PLANS: '5=1', NAME_PLANS: '3 Months=7' })
  assertPrices((await dear.call('buy_rpc', {}, bearer(key))).json<Offer>(), { '5 Credits': '1' })
  assertPrices(await offer(dear, 'dear'), { '3 Months': '7' })
})

test('names of letters and digits, up to 30, leased for six periods at their prices; a grace of ten days, or one after two days (contract 2, rule 4)', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  const longest = `A1${'b'.repeat(28)}`
  const made = await offer(shop, longest)
  row('8, Prices: 2 Days, 1 Month, 1 Year, 2 Years, 5 Years, 10 Years', () =>
    assertPrices(made, Object.fromEntries(Object.entries(LEASES).map(([title, [price]]) => [title, price]))),
  )
  await row('8, Usernames: characters', async () => {
    assert.deepEqual([made.name, made.available], [longest, true])
    for (const name of [`${longest}b`, 'al-ice', 'al_ice', 'al ice', 'älice']) {
      const { status, json } = await shop.call('get_name', { name })
      assert.deepEqual([status, json().code, json().field], [400, 'invalid_username', 'name'], name)
    }
  })
  const start = market.clock.now() / 1_000
  for (const [title, [, end]] of Object.entries(LEASES)) {
    const name = `n${title.replace(' ', '')}`
    await lease(market, shop, alice, name, title)
    const { status, lease: held } = await offer(shop, name)
    const expires = Date.parse(end) / 1_000
    const grace = (title === '2 Days' ? 1 : 10) * DAY
    row('8, Usernames: lease periods, grace', () =>
      assert.deepEqual(
        [status, held!.created_unix, held!.expires_unix, held!.grace_until_unix],
        ['leased', start, expires, expires + grace],
        title,
      ),
    )
  }
  await untilQuiet(market, shop)
  const statusOf = async (name: string) => (await offer(shop, name)).status
  const month = 30 * DAY
  for (const [seconds, name, status] of [
    [2 * DAY - 1, 'n2Days', 'leased'],
    [2 * DAY, 'n2Days', 'grace'],
    [3 * DAY, 'n2Days', 'available'],
    [month, 'n1Month', 'grace'],
    [month + 10 * DAY - 1, 'n1Month', 'grace'],
    [month + 10 * DAY, 'n1Month', 'available'],
  ] as const) {
    market.clock.leap((start + seconds) * 1_000 - market.clock.now())
    assert.equal(await statusOf(name), status, `${name} after ${seconds} seconds`)
  }
  await until(async () => (await statusOf('n1Year')) === 'leased')
})
