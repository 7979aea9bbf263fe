import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../support/gateway.ts'
import { type Made, type Shop, bearer, merchant, openWorld, turnUntil, untilStatus } from './world.ts'

/* Prices in the money of states (contract 2, rule 14). */

const address = merchant.address
const MINUTE = 60_000

const openPage = async (shop: Shop, id: string) =>
  (await ask(`${shop.url}/pay/${id}?json=true`, { method: 'GET' })).json<Made>()

test('a reload and a second tab see the same amount; a quarter of an hour later there is a new one, and both pay (contract 2, rule 14; 8, Checkout: fiat quote)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '10', currency: 'EUR' }, bearer(world.key()))
  assert.equal((await openPage(shop, made.id)).amount_raw, made.amount_raw)
  world.clock.advance(15 * MINUTE + 1)
  const tabs = await Promise.all(Array.from({ length: 8 }, () => openPage(shop, made.id)))
  const amounts = new Set(tabs.map(({ amount_raw: raw }) => raw))
  assert.equal(amounts.size, 1)
  assert.ok(!amounts.has(made.amount_raw), 'the old amount stays with the old quote')
  // Worth as much as before: the old amount is as good as the new one.
  await world.pay(address, made.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).success)
})

test('an amount whose quote is over and that is worth less by now waits for the merchant', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '10', currency: 'EUR' }, bearer(world.key()))
  world.clock.advance(16 * MINUTE)
  // The same amount against a price that is a tenth higher: as if the market had fallen.
  await shop.app.store.db.updateTable('checkouts').set({ price: '11', price_e8: '1100000000' }).execute()
  await world.pay(address, made.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).additional_status === 'paid_late')
  assert.equal((await shop.check(made.id)).success, false)
  assert.equal((await shop.rest('POST', `/api/checkouts/${made.id}/mark`, world.key())).status, 200)
})

test('a fresh address with a price in yen is paid in parts', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '1000', currency: 'JPY', mode: 'unique_address' })
  const half = BigInt(made.amount_raw) / 2n
  await world.pay(address, `${half}`)
  const partial = await untilStatus(shop, made.id, 'partial')
  await world.pay(address, partial.amount_due_raw)
  const check = await untilStatus(shop, made.id, 'complete')
  assert.deepEqual([check.additional_status, check.amount_paid_raw], ['none', made.amount_raw])
})

test('plans in dollars each have an amount of their own', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const plans = [
    { title: 'Small', value: '5' },
    { title: 'Large', value: '50' },
  ]
  const made = await shop.open({ address, plans, currency: 'USD' }, bearer(world.key()))
  await world.pay(address, made.plans[1]!.value_raw)
  const check = await untilStatus(shop, made.id, 'complete')
  assert.equal(check.plan?.title, 'Large')
  const { revenue } = (await shop.rest('GET', '/api/checkouts/stats', world.key())).json<{
    revenue: Record<string, { amount: string }>
  }>()
  assert.equal(revenue.USD!.amount, '50.00')
})
