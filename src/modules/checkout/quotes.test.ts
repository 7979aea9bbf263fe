import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer, merchant, openShop, stranger, turnUntil, untilStatus } from '../../../test/support/checkout-steps.ts'

/* Prices in the money of states (contract 2, rule 14). */

const address = merchant.address
const MINUTE = 60_000

test('an amount whose quote is over and that is worth less by now waits for the merchant', async (t) => {
  const { world, shop } = await openShop(t)
  const made = await shop.open({ address, amount: '10', currency: 'EUR' }, bearer(world.key()))
  world.clock.advance(16 * MINUTE)
  // The same amount is compared with a price that is a tenth higher, as if the market had fallen.
  await shop.app.store.db.updateTable('checkouts').set({ price: '11', price_e8: '1100000000' }).execute()
  await world.pay(address, made.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).additional_status === 'paid_late')
  assert.equal((await shop.check(made.id)).success, false)
  assert.equal((await shop.rest('POST', `/api/checkouts/${made.id}/mark`, world.key())).status, 200)
})

test('a fresh address with a price in yen is paid in parts', async (t) => {
  const { world, shop } = await openShop(t)
  const made = await shop.open({ address, amount: '1000', currency: 'JPY', mode: 'unique_address' })
  const half = BigInt(made.amount_raw) / 2n
  await world.pay(address, `${half}`)
  const partial = await untilStatus(shop, made.id, 'partial')
  await world.pay(address, partial.amount_due_raw)
  const check = await untilStatus(shop, made.id, 'complete')
  assert.deepEqual([check.additional_status, check.amount_paid_raw], ['none', made.amount_raw])
})

test('a price at a fresh address is the amount that was quoted while the quote lasts, and what it is worth after that', async (t) => {
  const { world, shop } = await openShop(t)
  const made = await shop.open({ address, amount: '10', currency: 'EUR', mode: 'unique_address' })
  const nearly = (BigInt(made.amount_raw) * 99n) / 100n
  await world.pay(address, `${nearly}`)
  await untilStatus(shop, made.id, 'partial')
  const late = await shop.open({ address: stranger.address, amount: '10', currency: 'EUR', mode: 'unique_address' })
  world.clock.advance(16 * MINUTE)
  await world.pay(stranger.address, `${nearly}`)
  const isOpen = async () => ['pending', 'detected'].includes((await shop.check(late.id)).status)
  await turnUntil(world, 1_000, async () => !(await isOpen()))
  assert.equal((await shop.check(late.id)).status, 'complete')
})

test('plans in dollars each have an amount of their own', async (t) => {
  const { world, shop } = await openShop(t)
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
