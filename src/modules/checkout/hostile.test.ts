import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFiat, toNanoAt } from './domain/fiat.ts'
import { until } from '../../../test/support/until.ts'
import { bearer, merchant, nano, openShop } from '../../../test/support/checkout-steps.ts'

// Addresses are public, and callers choose them. What others do with a shop's address must not harm the shop.
test('a stranger who makes and gives up hundreds of checkouts on my address does not hide mine', async (t) => {
  const { world, shop } = await openShop(t)
  const { key: mine } = await shop.join()
  const { key: theirs } = await shop.join()
  const own = await shop.open({ address: merchant.address, amount: '2', mode: 'unique_address' }, bearer(mine))
  for (let at = 0; at < 220; at++) {
    const { id } = await shop.open({ address: merchant.address, amount: '1' }, bearer(theirs))
    assert.equal((await shop.rest('DELETE', `/api/checkouts/${id}`, theirs)).status, 200)
  }
  await world.pay(merchant.address, nano('2'))
  await until(async () => (await shop.check(own.id)).status === 'complete')
})

test('a stranger’s absurd price on my address does not keep my payment from being credited', async (t) => {
  const { world, shop, key } = await openShop(t)
  const tooMuch = await shop.call('checkout', { address: merchant.address, amount: '900000000000', currency: 'USD' })
  assert.deepEqual([tooMuch.status, tooMuch.json().field], [400, 'amount'])
  // Slightly less than the whole supply at one dollar per nano; at a lower rate it would be more than the supply.
  assert.ok(toNanoAt(parseFiat('340282366')!, '1.00'))
  assert.equal(toNanoAt(parseFiat('340282366')!, '0.99'), undefined)
  await shop.open({ address: merchant.address, amount: '340282366', currency: 'USD', mode: 'unique_address' })
  const own = await shop.open({ address: merchant.address, amount: '2', mode: 'unique_address' }, bearer(key))
  await world.pay(merchant.address, nano('2'))
  await until(async () => (await shop.check(own.id)).status === 'complete')
})
