import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer, nano, turnUntil } from '../../../test/support/checkout-steps.ts'
import { ENGINES } from '../../../test/support/engines.ts'
import { FaultyNode } from '../../../test/support/faulty-node.ts'
import { until } from '../../../test/support/until.ts'
import {
  assertAccounted,
  lease,
  offer,
  openMarket,
  openStall,
  priceOf,
  untilOrder,
  untilQuiet,
  untilRefunded,
} from '../../../test/support/username-steps.ts'

/*
 * Names from the offer to the end: leased by a payment, extended, in the grace period, free again; a second buyer is
 * refunded.
 */

const HOUR = 3_600_000
const DAY = 24 * HOUR

test('a second payment of the same amount is sent back, and one for another plan of a paid offer too', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  const made = await lease(market, shop, alice, 'alice', '1 Month')
  await market.send(alice, made.address, priceOf(made, '1 Month'))
  await market.send(alice, made.address, priceOf(made, '1 Year'))
  const { order } = await untilRefunded(market, shop, made.id, 2)
  assert.equal(order.status, 'applied')
  const refunds = order.refunds!.map(({ reason, status }) => `${reason} ${status}`)
  assert.deepEqual(refunds, ['already_paid refunded', 'already_paid refunded'])
  assert.equal((await offer(shop, 'alice')).lease!.expires, 'December 15, 2026')
  assert.equal(market.fundsOf(alice.address), nano('100') - BigInt(priceOf(made, '1 Month')))
  await assertAccounted(market, shop)
})

test('paid in time while the gateway was down: owner and stranger are treated by when they paid (contract 3, Username: the owner pays in grace; 3, rule 11)', async (t) => {
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

/** As reported by a node that does not keep the times of blocks. */
const withoutTimes = (answer: object) =>
  JSON.parse(JSON.stringify(answer).replaceAll(/"local_timestamp":"[0-9]+"/g, '"local_timestamp":"0"')) as object

for (const engine of ENGINES)
  test(`a name that is free again goes to the caller who pays for it, also if the node has no timestamps (${engine})`, async (t) => {
    const market = await openMarket(t, engine)
    const node = await FaultyNode.start(t, { ledger: market.ledger })
    node.lie('blocks_info', withoutTimes)
    const before = await market.start({ NODE_URLS: node.url })
    const [alice, bob] = [await market.person(), await market.person()]
    await lease(market, before, alice, 'alice', '2 Days')
    await untilQuiet(market, before)
    await before.close()
    market.clock.leap(3 * DAY + HOUR)
    const shop = await market.start({ NODE_URLS: node.url })
    const made = await offer(shop, 'alice')
    assert.equal(made.status, 'available')
    await market.send(bob, made.address, priceOf(made, '1 Year'))
    const settled = shop.app.store.db
      .selectFrom('service_payments')
      .select('outcome')
      .where('checkout_id', '=', made.id)
    await until(async () => (await settled.execute()).length > 0)
    assert.deepEqual(await settled.execute(), [{ outcome: 'applied' }])
    assert.equal((await offer(shop, 'alice')).lease!.owner, bob.address)
  })

test('names of an account are listed for it, and their ends are announced by mail, each once', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  const { db } = shop.app.store
  const { accountId, key } = await shop.join()
  await db.updateTable('accounts').set({ email: 'alice@example.com' }).where('id', '=', accountId).execute()
  const made = await offer(shop, 'alice', bearer(key))
  await market.send(alice, made.address, priceOf(made, '1 Month'))
  await untilOrder(shop, made.id, 'applied')
  const mails = async () =>
    (await db.selectFrom('mails').selectAll().orderBy('created_at').execute()).map(({ subject }) => subject)
  const expected = ['@alice ends on December 15, 2026', 'Your lease of @alice has expired', '@alice is free again']
  /** Half a day later, when everything that was due before has been reported. */
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
