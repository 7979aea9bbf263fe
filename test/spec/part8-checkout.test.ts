import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer, merchant, nano, openShop, stranger, turnUntil } from '../support/checkout-steps.ts'

/* Contract 8, Checkout: limits of time, amount and number. */

const { address } = merchant
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test('429 callers without a key have twenty open checkouts at an address, and the merchant is not affected (contract 8, Checkout: open reservations per address, without a key; 2, rule 10)', async (t) => {
  const { world, shop } = await openShop(t)
  const key = world.key()
  for (let count = 0; count < 20; count++) await shop.open({ address, amount: '1' })
  const full = await shop.call('checkout', { address, amount: '1' })
  assert.deepEqual([full.status, full.json().code, full.json().field], [429, 'too_many_requests', 'address'])
  assert.ok(Number(full.headers['retry-after']) > 0)
  await shop.open({ address, amount: '1' }, bearer(key))
  await shop.open({ address: stranger.address, amount: '1' })
})

test('a checkout lives 24 hours, and late payments are watched for seven more days (contract 8, Checkout: lifetime, watch for late payments; 3, rule 2)', async (t) => {
  const { world, shop } = await openShop(t)
  const start = world.clock.now()
  const open = (to: string) => shop.open({ address: to, amount: '1', mode: 'unique_address' }, bearer(world.key()))
  const [late, lost] = [await open(address), await open(stranger.address)]
  assert.equal(late.expires_unix, (start + DAY) / 1_000)
  world.clock.advance(DAY - MINUTE)
  assert.equal((await shop.check(late.id)).status, 'pending')
  for (const { id } of [late, lost]) await turnUntil(world, MINUTE, async () => (await shop.check(id)).expired === true)
  world.clock.advance(start + 8 * DAY - HOUR - world.clock.now())
  await world.pay(address, nano('1'))
  await turnUntil(world, 1_000, async () => (await shop.check(late.id)).additional_status === 'paid_late')
  assert.equal((await shop.check(late.id)).amount_paid_raw, nano('1').toString())
  world.clock.advance(Math.max(0, start + 8 * DAY + HOUR - world.clock.now()))
  // A payment now belongs to no checkout; the next one is detected.
  await world.pay(stranger.address, nano('1'))
  const probe = await shop.open({ address: stranger.address, amount: '2' }, bearer(world.key()))
  await world.pay(stranger.address, probe.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(probe.id)).success)
  assert.equal((await shop.check(lost.id)).amount_paid_raw, '0')
})
