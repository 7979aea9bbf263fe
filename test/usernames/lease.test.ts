import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../support/until.ts'
import { bearer, nano, turnUntil } from '../checkout/world.ts'
import {
  type Offer,
  type Order,
  assertAccounted,
  lease,
  offer,
  openMarket,
  priceOf,
  untilOrder,
  untilQuiet,
  untilRefunded,
} from './world.ts'

/* Names from offer to end: leased by a payment, extended, in grace, free again; and whoever comes second is refunded. */

const HOUR = 3_600_000
const DAY = 24 * HOUR

test('two buyers pay for one name at once: one gets it, the other gets everything back (contract 3, rule 9; 4.1, rule 20)', async (t) => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    const market = await openMarket(t, engine)
    const [shop, other] = [await market.start(), await market.start()]
    const [alice, bob] = [await market.person(), await market.person()]
    const [forAlice, forBob] = [await offer(shop, 'prize'), await offer(other, 'Prize')]
    const price = priceOf(forBob, '1 Month')
    await Promise.all([
      market.send(alice, forAlice.address, priceOf(forAlice, '1 Year')),
      market.send(bob, forBob.address, price),
    ])
    const ended = async ({ id }: Offer) => ((await shop.check(id)) as unknown as { order: Order }).order.status
    await until(async () => (await ended(forAlice)) !== 'waiting' && (await ended(forBob)) !== 'waiting')
    const outcomes = [await ended(forAlice), await ended(forBob)]
    assert.deepEqual([...outcomes].sort(), ['applied', 'refunded'])
    const [winner, loser, lost] = outcomes[0] === 'applied' ? [alice, bob, forBob] : [bob, alice, forAlice]
    const { order } = await untilRefunded(market, shop, lost.id)
    assert.equal(order.reason, 'name_taken')
    assert.equal(order.refunds?.length, 1)
    assert.equal(market.fundsOf(loser.address), nano('100'), 'not a raw less')
    const { lease: current } = await offer(shop, 'prize')
    assert.equal(current!.owner, winner.address)
    await assertAccounted(market, shop)
    await Promise.all([shop.close(), other.close()])
  }
})

test('only a payment from the owner’s address extends a lease; a stranger’s is sent back (contract 2, rule 7; 3, Username: leased; 3, rule 10)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const [alice, bob] = [await market.person(), await market.person()]
  await lease(market, shop, alice, 'alice', '1 Month')
  const extension = await offer(shop, 'alice')
  await market.send(bob, extension.address, priceOf(extension, '10 Years'))
  const { order } = await untilRefunded(market, shop, extension.id)
  assert.deepEqual([order.status, order.reason], ['refunded', 'name_taken'])
  assert.equal(market.fundsOf(bob.address), nano('100'))
  await lease(market, shop, alice, 'ALICE', '2 Years')
  const { lease: current } = await offer(shop, 'alice')
  // One month from November 15 is December 15; two years more is December 15, 2028.
  assert.deepEqual([current!.expires, current!.owner, current!.name], ['December 15, 2028', alice.address, 'alice'])
  await assertAccounted(market, shop)
})

test('a second payment of the same amount is sent back, and one for another plan of a paid offer too', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const alice = await market.person()
  const made = await lease(market, shop, alice, 'alice', '1 Month')
  await market.send(alice, made.address, priceOf(made, '1 Month'))
  await market.send(alice, made.address, priceOf(made, '1 Year'))
  const { order } = await untilRefunded(market, shop, made.id, 2)
  assert.equal(order.status, 'applied')
  assert.deepEqual(
    order.refunds!.map(({ reason, status }) => [reason, status]),
    [
      ['already_paid', 'refunded'],
      ['already_paid', 'refunded'],
    ],
  )
  assert.equal((await offer(shop, 'alice')).lease!.expires, 'December 15, 2026')
  assert.equal(market.fundsOf(alice.address), nano('100') - BigInt(priceOf(made, '1 Month')))
  await assertAccounted(market, shop)
})

test('paid after the offer has ended: the name is given all the same, unless somebody has it (contract 3, rule 11)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const [alice, bob] = [await market.person(), await market.person()]
  const [forAlice, forBob] = [await offer(shop, 'late'), await offer(shop, 'late')]
  await turnUntil(market, 2 * HOUR, async () => (await shop.check(forAlice.id)).status === 'expired')
  await turnUntil(market, 2 * HOUR, async () => (await shop.check(forBob.id)).status === 'expired')
  await market.send(alice, forAlice.address, priceOf(forAlice, '1 Year'))
  await turnUntil(market, 1_000, async () => (await shop.check(forAlice.id)).success)
  const check = await untilOrder(shop, forAlice.id, 'applied')
  assert.deepEqual([check.status, check.additional_status], ['complete', 'marked'])
  await market.send(bob, forBob.address, priceOf(forBob, '1 Year'))
  await turnUntil(market, 1_000, async () => (await shop.check(forBob.id)).success)
  await untilRefunded(market, shop, forBob.id)
  assert.equal(market.fundsOf(bob.address), nano('100'))
  await assertAccounted(market, shop)
})

test('after its end a name is its owner’s for ten days: listed no longer, read still, not paid; then anybody’s (contract 1, rule 17; 3, Username: leased, grace; 3, rule 11; 8, Usernames: grace)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const [alice, bob] = [await market.person(), await market.person()]
  await lease(market, shop, alice, 'alice', '1 Month')
  const resolves = async () => (await shop.call('account_balance', { account: '@alice' })).status
  const takesMoney = async () => (await shop.call('checkout', { address: '@alice', amount: '1' })).status
  assert.deepEqual([await resolves(), await takesMoney()], [200, 200])

  await untilQuiet(market, shop)
  market.clock.leap(30 * DAY)
  const ended = await offer(shop, 'alice')
  assert.deepEqual([ended.status, ended.available], ['grace', false])
  // What was asked of the node before the leap has timed out, and it is tried again soon.
  await turnUntil(market, 1_000, async () => (await resolves()) === 200)
  assert.equal(await takesMoney(), 400)
  assert.deepEqual((await shop.call('known')).json<unknown>(), [])
  const refused = await shop.call('update_name', { name: 'alice', title: 'x' })
  assert.deepEqual([refused.status, refused.json().code], [409, 'conflict'])

  // A stranger pays in the grace period, the owner after it.
  const early = await offer(shop, 'alice')
  await market.send(bob, early.address, priceOf(early, '1 Year'))
  await turnUntil(market, 1_000, async () => (await shop.check(early.id)).success)
  assert.equal((await untilRefunded(market, shop, early.id)).order.reason, 'name_taken')
  const renewal = await offer(shop, 'alice')
  await market.send(alice, renewal.address, priceOf(renewal, '2 Days'))
  await turnUntil(market, 1_000, async () => (await shop.check(renewal.id)).success)
  const renewed = await offer(shop, 'alice')
  assert.equal(renewed.status, 'leased')
  // Two days from now and not from the end that is past; and the ten days of grace that it had stay.
  const expires = Number(renewed.lease!.expires_unix)
  assert.equal(expires - Math.floor(market.clock.now() / 1000) > 1.9 * 86_400, true)
  assert.equal(Number(renewed.lease!.grace_until_unix) - expires, 10 * 86_400)

  await untilQuiet(market, shop)
  market.clock.leap(13 * DAY)
  assert.equal((await offer(shop, 'alice')).status, 'available')
  assert.deepEqual([await resolves(), await takesMoney()], [400, 400])
  const free = await offer(shop, 'ALice')
  assert.deepEqual([free.available, free.lease], [true, null])
  await market.send(bob, free.address, priceOf(free, '2 Days'))
  await turnUntil(market, 1_000, async () => (await shop.check(free.id)).success)
  const { lease: current } = await offer(shop, 'alice')
  assert.deepEqual([current!.owner, current!.name], [bob.address, 'ALice'])
  assert.equal(Number(current!.grace_until_unix) - Number(current!.expires_unix), 86_400, 'one day after two')
  await assertAccounted(market, shop)
})

test('paid in time while the gateway was down: owner and stranger are judged by when they paid (contract 3, Username: grace; 3, rule 11)', async (t) => {
  const market = await openMarket(t)
  const before = await market.start()
  const [alice, bob] = [await market.person(), await market.person()]
  await lease(market, before, alice, 'alice', '2 Days')
  await untilQuiet(market, before)
  market.clock.leap(2 * DAY + HOUR)
  const [forBob, forAlice] = [await offer(before, 'alice'), await offer(before, 'alice')]
  assert.equal(forBob.status, 'grace')
  await before.close()
  await market.send(bob, forBob.address, priceOf(forBob, '1 Year'))
  await market.send(alice, forAlice.address, priceOf(forAlice, '1 Year'))
  // Longer than the day of grace.
  market.clock.leap(3 * DAY)
  const after = await market.start()
  await untilOrder(after, forAlice.id, 'applied')
  await untilRefunded(market, after, forBob.id)
  assert.equal((await offer(after, 'alice')).lease!.owner, alice.address)
  assert.equal(market.fundsOf(bob.address), nano('100'))
  await assertAccounted(market, after)
})

test('names of an account are listed for it, and their ends are told by mail, each once', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const alice = await market.person()
  const { db } = shop.app.store
  const { accountId, key } = await market.join(shop)
  await db.updateTable('accounts').set({ email: 'alice@example.com' }).where('id', '=', accountId).execute()
  const made = await offer(shop, 'alice', bearer(key))
  await market.send(alice, made.address, priceOf(made, '1 Month'))
  await untilOrder(shop, made.id, 'applied')
  const mails = async () =>
    (await db.selectFrom('mails').selectAll().orderBy('created_at').execute()).map(({ subject }) => subject)
  const expected = ['@alice ends on December 15, 2026', 'The lease of @alice is over', '@alice is free again']
  /** Half a day further, once everything that there was to tell before is told. */
  const turn = async () => {
    market.clock.leap(12 * HOUR)
    await turnUntil(market, 1_000, async () => {
      const jobs = db.selectFrom('jobs').select('id').where('kind', 'in', ['usernames.remind', 'mail.send'])
      const due = jobs.where('status', 'in', ['ready', 'running']).where('run_at', '<=', market.clock.now())
      return (await due.execute()).length === 0
    })
  }
  for (let told = 1; told <= expected.length; told++) {
    while ((await mails()).length < told) await turn()
    assert.deepEqual(await mails(), expected.slice(0, told))
  }
  await turn()
  assert.deepEqual(await mails(), expected)
})
