import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../support/gateway.ts'
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

test('get_name offers plans, each with an amount of its own, and a paid one makes the payer the owner (contract 1, Product areas: 5. Usernames; 2, Username registration offer; 2, rules 5 and 6; 3, Username: available; 4.1, Names: known, aliases, get_name; 4.1, rules 16 and 17; 8, Usernames: lease periods; 8, Prices; 9, Synonyms: get_name)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const alice = await market.person()
  const made = await offer(shop, 'Alice')
  assert.deepEqual(Object.keys(made).sort(), [
    ...['address', 'available', 'browser', 'check', 'expires_unix', 'id', 'json', 'lease', 'name', 'plans', 'status'],
  ])
  assert.match(made.id, /^[0-9a-f]{16}$/)
  assert.match(made.address, /^nano_/)
  assert.equal(made.browser, `${shop.url}/pay/${made.id}`)
  assert.equal(made.check, `${shop.url}/check/${made.id}`)
  assert.deepEqual([made.available, made.status, made.lease, made.name], [true, 'available', null, 'Alice'])
  const prices = {
    '2 Days': '0.01',
    '1 Month': '0.05',
    '1 Year': '0.3',
    '2 Years': '0.5',
    '5 Years': '3',
    '10 Years': '10',
  }
  assert.deepEqual(
    made.plans.map(({ title }) => title),
    Object.keys(prices),
  )
  for (const { title, value, value_raw: raw, link } of made.plans) {
    const price = nano(prices[title as keyof typeof prices])
    assert.equal(nano(value), BigInt(raw))
    assert.ok(BigInt(raw) > price && BigInt(raw) < price + (price * 6n) / 1000n, `${title}: ${value}`)
    assert.equal(link, `nano:${made.address}?amount=${raw}`)
  }
  assert.equal(new Set(made.plans.map(({ value_raw: raw }) => raw)).size, 6)

  const before = (await shop.check(made.id)) as unknown as { order: Order; success: boolean }
  assert.deepEqual([before.success, before.order], [false, { kind: 'name', name: 'Alice', status: 'waiting' }])
  await market.send(alice, made.address, priceOf(made, '1 Year'))
  const check = await untilOrder(shop, made.id, 'applied')
  assert.deepEqual([check.success, check.plan?.title], [true, '1 Year'])
  assert.deepEqual(check.order, {
    kind: 'name',
    name: 'Alice',
    status: 'applied',
    what: '@Alice until November 15, 2027',
  })

  const now = market.clock.now() / 1000
  const found = { created: 'November 15, 2026', expires: 'November 15, 2027', created_unix: now }
  const entry = { name: 'Alice', address: alice.address, ...found, expires_unix: now + (365 * DAY) / 1000 }
  assert.ok(made.expires_unix > now, 'good for a while')
  for (const fields of [{ name: 'alice' }, { name: '@ALICE' }, { username: 'aLICE' }]) {
    const taken = (await shop.call('get_name', fields)).json<Offer>()
    assert.deepEqual([taken.available, taken.status, taken.name], [false, 'leased', 'Alice'])
    assert.deepEqual(taken.lease, {
      ...entry,
      owner: alice.address,
      grace_until_unix: now + (375 * DAY) / 1000,
    })
    assert.equal(taken.plans.length, 6, 'its owner can extend it')
  }
  await until(async () => (await shop.call('known')).json<unknown[]>().length > 0)
  assert.deepEqual((await shop.call('known')).json<unknown>(), [entry])
  const file = async (path: string) => (await ask(`${shop.url}${path}`, { method: 'GET' })).json<unknown>()
  assert.deepEqual(await file('/known.json'), [entry])
  const aliases = (await shop.call('aliases')).json<{ account: string; alias: string }[]>()
  assert.deepEqual(await file('/aliases.json'), aliases)
  const burn = 'nano_1111111111111111111111111111111111111111111111111111hifc8npp'
  assert.deepEqual(
    aliases.filter(({ account }) => account === burn),
    [{ account: burn, alias: 'Burn' }],
  )
  const wellKnown = '/.well-known/nano-currency.json'
  assert.deepEqual(await file(`${wellKnown}?names=alice,nobody`), {
    names: [{ name: 'alice', address: alice.address }],
  })
  const { address } = alice
  assert.deepEqual(await file(`${wellKnown}?names=${address}`), { names: [{ name: 'Alice', address }] })
  assert.deepEqual(await file(wellKnown), { names: [entry] })
  const balance = (await shop.call('account_balance', { account: '@aLiCe' })).json()
  assert.equal(balance.address, alice.address)
  // The same address may have another one; it is called by the first.
  await lease(market, shop, alice, 'Bakery', '1 Month')
  const names = async () => (await shop.call('known')).json<{ name: string; address: string }[]>()
  await until(async () => (await names()).length === 2)
  assert.deepEqual(
    (await names()).map(({ name, address }) => [name, address]),
    [
      ['Alice', address],
      ['Bakery', address],
    ],
  )
  assert.deepEqual(await file(`${wellKnown}?names=${address}`), { names: [{ name: 'Alice', address }] })
  await assertAccounted(market, shop)
})

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
