import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nano, turnUntil, untilExpired } from '../support/checkout-steps.ts'
import {
  askChange,
  assertAccounted,
  lease,
  offer,
  openStall,
  priceOf,
  sign,
  untilOrder,
  untilQuiet,
  untilRefunded,
} from '../support/username-steps.ts'
import { row } from './row.ts'

/* Contract 3: how names are leased, extended, lost and free again, and that payments without an effect are refunded. */

const HOUR = 3_600_000
const DAY = 24 * HOUR

test('the first payment leases a free name, its owner alone extends and changes it, and everybody else gets everything back (contract 3, rules 9 and 10; 2, rule 7; 7, Texts and codes: change of a name by somebody else)', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  const bob = await market.person()
  const [forAlice, forBob] = [await offer(shop, 'Alice'), await offer(shop, 'alice')]
  assert.deepEqual([forAlice.available, forAlice.status, forBob.status], [true, 'available', 'available'])
  await market.send(alice, forAlice.address, priceOf(forAlice, '1 Month'))
  const applied = await untilOrder(shop, forAlice.id, 'applied')
  assert.deepEqual([applied.status, applied.success, applied.plan?.title], ['complete', true, '1 Month'])
  const leaseOf = async () => (await offer(shop, 'alice')).lease!
  const taken = await offer(shop, 'ALICE')
  row('3, Username: a plan is paid', () => {
    const { owner, expires } = taken.lease!
    assert.deepEqual([taken.status, owner, expires], ['leased', alice.address, 'December 15, 2026'])
  })

  // Second payer: the name was free when it was offered, so the payment is refunded in full.
  await market.send(bob, forBob.address, priceOf(forBob, '10 Years'))
  const { status, reason, refunds } = (await untilRefunded(market, shop, forBob.id)).order
  assert.deepEqual([status, reason, refunds?.length], ['refunded', 'name_taken', 1])
  assert.equal(market.fundsOf(bob.address), nano('100'))
  assert.equal((await leaseOf()).expires, 'December 15, 2026')

  // Bob requests and pays for a change; only Alice's signature makes it happen.
  const byBob = await askChange(shop, { name: 'alice', title: 'Bob’s' })
  const refused = await shop.call('update_name', sign(bob, byBob, { name: 'alice', title: 'Bob’s' }))
  assert.deepEqual([refused.status, refused.json().code], [403, 'not_the_owner'])
  await market.send(bob, byBob.address, byBob.amount_raw)
  await untilOrder(shop, byBob.id, 'unauthorized')
  assert.equal((await leaseOf()).title, undefined)
  await askChange(shop, sign(alice, byBob, { name: 'alice', title: 'Shop' }))
  await untilOrder(shop, byBob.id, 'applied')
  await lease(market, shop, alice, 'aLICE', '2 Years')
  const longer = await leaseOf()
  row('3, Username: the owner pays', () =>
    assert.deepEqual([longer.expires, longer.owner, longer.title], ['December 15, 2028', alice.address, 'Shop']),
  )
  await assertAccounted(market, shop)
})

test('a payment that matches no offer is kept for the operator and buys nothing (contract 3, rule 11)', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  const bob = await market.person()
  const made = await offer(shop, 'alice')
  const bare = nano('0.05')
  await market.send(bob, made.address, `${bare}`)
  await lease(market, shop, alice, 'bakery', '1 Month')
  await untilQuiet(market, shop)
  assert.equal((await offer(shop, 'alice')).status, 'available')
  assert.equal(market.fundsOf(bob.address), nano('100') - bare)
  const price = nano('100') - market.fundsOf(alice.address)
  // Read from the ledger: a block that the treasury is just receiving is neither confirmed nor receivable.
  assert.equal(market.fundsOf(made.address), bare + price, 'the treasury has both')
})

test('paid after the offer has ended: the name is given all the same, unless somebody has it, and not after a week (contract 3, rule 11)', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  const bob = await market.person()
  const [forAlice, forBob] = [await offer(shop, 'late'), await offer(shop, 'late')]
  const forgotten = await offer(shop, 'later')
  await untilExpired(market, shop, forAlice.id)
  await untilExpired(market, shop, forBob.id)
  await market.send(alice, forAlice.address, priceOf(forAlice, '1 Year'))
  await turnUntil(market, 1_000, async () => (await shop.check(forAlice.id)).success)
  const check = await untilOrder(shop, forAlice.id, 'applied')
  assert.deepEqual([check.status, check.additional_status], ['complete', 'marked'])
  await market.send(bob, forBob.address, priceOf(forBob, '1 Year'))
  await turnUntil(market, 1_000, async () => (await shop.check(forBob.id)).status === 'refunded')
  await untilRefunded(market, shop, forBob.id)
  assert.equal(market.fundsOf(bob.address), nano('100'))
  await assertAccounted(market, shop)

  await untilQuiet(market, shop)
  market.clock.leap(7 * DAY)
  const reserved = shop.app.store.db.selectFrom('checkout_reservations').where('checkout_id', '=', forgotten.id)
  await turnUntil(market, HOUR / 6, async () => (await reserved.select('plan').execute()).length === 0)
  await market.send(bob, forgotten.address, priceOf(forgotten, '1 Year'))
  const other = await offer(shop, 'other')
  await market.send(alice, other.address, priceOf(other, '1 Month'))
  await turnUntil(market, 1_000, async () => (await shop.check(other.id)).success)
  assert.equal((await offer(shop, 'later')).status, 'available')
})

test('after its end a name is reserved for its owner for ten days: not listed, readable, not payable; then free (contract 1, rule 17; 3, rule 11; 8, Usernames: grace)', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  const bob = await market.person()
  await lease(market, shop, alice, 'alice', '1 Month')
  const resolves = async () => (await shop.call('account_balance', { account: '@alice' })).status
  const takesMoney = async () => (await shop.call('checkout', { address: '@alice', amount: '1' })).status
  assert.deepEqual([await resolves(), await takesMoney()], [200, 200])

  await untilQuiet(market, shop)
  market.clock.leap(31 * DAY)
  const ended = await offer(shop, 'alice')
  row('3, Username: the lease ends', () => assert.deepEqual([ended.status, ended.available], ['grace', false]))
  // Requests sent to the node before the jump have timed out, and it is tried again soon.
  await turnUntil(market, 1_000, async () => (await resolves()) === 200)
  assert.equal(await takesMoney(), 400)
  assert.deepEqual((await shop.call('known')).json<unknown>(), [])
  const refused = await shop.call('update_name', { name: 'alice', title: 'x' })
  assert.deepEqual([refused.status, refused.json().code], [409, 'conflict'])

  // A stranger pays during the grace period, the owner after it.
  const early = await offer(shop, 'alice')
  await market.send(bob, early.address, priceOf(early, '1 Year'))
  await turnUntil(market, 1_000, async () => (await shop.check(early.id)).status === 'refunded')
  const { reason } = (await untilRefunded(market, shop, early.id)).order
  const renewal = await offer(shop, 'alice')
  await market.send(alice, renewal.address, priceOf(renewal, '2 Days'))
  await turnUntil(market, 1_000, async () => (await shop.check(renewal.id)).success)
  const renewed = await offer(shop, 'alice')
  row('3, Username: the owner pays in grace', () =>
    assert.deepEqual([reason, renewed.status, renewed.lease!.owner], ['name_taken', 'leased', alice.address]),
  )
  // A late renewal must not give free days: the new period begins at the old expiry. The ten days of grace remain.
  const expires = Number(renewed.lease!.expires_unix)
  row('3, Username: the owner pays in grace', () =>
    assert.equal(expires, Number(ended.lease!.expires_unix) + 2 * 86_400),
  )
  assert.equal(Number(renewed.lease!.grace_until_unix) - expires, 10 * 86_400)

  await untilQuiet(market, shop)
  market.clock.leap(13 * DAY)
  assert.deepEqual([await resolves(), await takesMoney()], [400, 400])
  const free = await offer(shop, 'ALice')
  row('3, Username: grace ends', () =>
    assert.deepEqual([free.status, free.available, free.lease], ['available', true, null]),
  )
  await market.send(bob, free.address, priceOf(free, '2 Days'))
  await turnUntil(market, 1_000, async () => (await shop.check(free.id)).success)
  const { lease: current } = await offer(shop, 'alice')
  assert.deepEqual([current!.owner, current!.name], [bob.address, 'ALice'])
  assert.equal(Number(current!.grace_until_unix) - Number(current!.expires_unix), 86_400, 'one day after two')
  await assertAccounted(market, shop)
})
