import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { signText } from '../../src/kernel/nano/keys.ts'
import { Signer } from '../support/blocks.ts'
import { ask } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { bearer, nano, turnUntil } from '../support/checkout-steps.ts'
import {
  type Offer,
  type OrderCheck,
  lease,
  offer,
  openMarket,
  openStall,
  priceOf,
  untilOrder,
  untilQuiet,
  untilRefunded,
} from '../support/username-steps.ts'
import { row } from './row.ts'
import { openFolder } from '../support/folder.ts'

/* Contract 2, usernames and credits: offers, orders and an account's names, field by field. */

type Members = Record<string, unknown>

const DAY = 86_400
const HASH = /^[0-9A-F]{64}$/

/** Checks the fields common to all offers, and returns the others. */
function assertOffer(
  { id, address, browser, check, json, expires_unix, plans, ...rest }: Offer,
  url: string,
  now: number,
) {
  assert.match(id, /^[0-9a-f]{16}$/)
  assert.ok(fromAddress(address), address)
  assert.deepEqual([browser, check, json], [`${url}/pay/${id}`, `${url}/check/${id}`, `${url}/checkout/${id}`])
  assert.equal(expires_unix, now + DAY)
  for (const { title, value, value_raw, link, ...more } of plans) {
    assert.deepEqual([typeof title, typeof value, typeof value_raw, more], ['string', 'string', 'string', {}])
    assert.equal(`${nano(value)}`, value_raw)
    assert.equal(link, `nano:${address}?amount=${value_raw}`)
  }
  assert.equal(new Set(plans.map(({ value_raw: raw }) => raw)).size, plans.length)
  return { ...rest, titles: plans.map(({ title }) => title) }
}

/** A file of built-in names, deleted after the test. */
function writeKnown(t: TestContext, content: object): string {
  const folder = openFolder(t)
  writeFileSync(join(folder, 'known.json'), JSON.stringify(content))
  return join(folder, 'known.json')
}

const TITLES = ['2 Days', '1 Month', '1 Year', '2 Years', '5 Years', '10 Years']

test('a registration offer shows plans and the state of the name; only its owner extends it', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start({ KNOWN_NAMES: JSON.stringify({ Library: new Signer(901).address }) })
  const [alice, bob] = [await market.person(), await market.person()]
  const { key } = await shop.join()
  const now = market.clock.now() / 1000
  const first = await offer(shop, 'Alice', bearer(key))
  const free = { available: true, status: 'available', lease: null, titles: TITLES }
  row(
    '2, Username registration offer: id, address, browser, check, json, available, status, lease, expires_unix, plans[], link, name, username, titles of plans[]',
    () => assert.deepEqual(assertOffer(first, shop.url, now), { name: 'Alice', username: 'Alice', ...free }),
  )
  const waiting = { kind: 'name', name: 'Alice', status: 'waiting' }
  const { success, status: before, order: asked } = (await shop.check(first.id)) as OrderCheck
  row('2, Order: kind, name, status', () => assert.deepEqual([success, before, asked], [false, 'pending', waiting]))
  await market.send(alice, first.address, priceOf(first, '1 Month'))
  const applied = { kind: 'name', name: 'Alice', status: 'applied', what: '@Alice until December 15, 2026' }
  const given = (await untilOrder(shop, first.id, 'applied')).order
  const record = (await ask(first.json, { method: 'GET' })).json<Members>()
  row('2, Order: kind, name, status, what', () => {
    assert.deepEqual(given, applied)
    assert.deepEqual([record.order, record.success], [applied, true])
  })

  // Case does not matter, and the name is shown as registered.
  const ends = now + 30 * DAY
  const hers = {
    ...{ name: 'Alice', address: alice.address, owner: alice.address },
    ...{ created: 'November 15, 2026', created_unix: now, expires: 'December 15, 2026', expires_unix: ends },
    grace_until_unix: ends + 10 * DAY,
  }
  const taken = { name: 'Alice', username: 'Alice', available: false, status: 'leased', lease: hers, titles: TITLES }
  const extension = await offer(shop, 'aLICE')
  const known = assertOffer(extension, shop.url, now)
  row('2, Username registration offer: available, status, lease, name, username; 2, rule 5', () =>
    assert.deepEqual(known, taken),
  )

  // Only the owner can extend it, by a payment from its address or with the key; anybody else gets a full refund.
  const paid = await market.send(bob, extension.address, priceOf(extension, '10 Years'))
  const { order } = await untilRefunded(market, shop, extension.id)
  const { refund_hash } = order.refunds![0]!
  const sentBack = (await shop.call('block_info', { hash: refund_hash })).json<{ contents: Members }>()
  row('2, Order: status, reason, refunds[]', () => {
    const about = { status: 'refunded', reason: 'name_taken' }
    const back = { block: paid, amount_raw: priceOf(extension, '10 Years'), ...about, refund_hash }
    assert.deepEqual(order, { kind: 'name', name: 'Alice', ...about, refunds: [back] })
    assert.match(String(refund_hash), HASH)
    assert.equal(sentBack.contents.link_as_account, bob.address)
  })
  const funds = market.fundsOf(bob.address)
  await lease(market, shop, alice, 'alice', '1 Month')
  const { lease: once } = await offer(shop, 'ALICE')
  const byKey = await offer(shop, 'alice', bearer(key))
  await market.send(bob, byKey.address, priceOf(byKey, '1 Month'))
  await untilOrder(shop, byKey.id, 'applied')
  const { lease: twice } = await offer(shop, 'ALICE')
  row('2, rule 7', () => {
    assert.equal(funds, nano('100'))
    const until = (expires: string, days: number) => ({
      ...{ expires, expires_unix: ends + days * DAY, grace_until_unix: ends + (days + 10) * DAY },
    })
    assert.deepEqual(once, { ...hers, ...until('January 15, 2027', 31) })
    assert.deepEqual(twice, { ...hers, ...until('February 15, 2027', 62) })
  })

  await lease(market, shop, alice, 'Bakery', '2 Days')
  const addressOf = async (account: string) => (await shop.call('account_balance', { account })).json().address
  await until(async () => (await addressOf('@BAKERY')) === alice.address)
  const both = [await addressOf('@alice'), await addressOf('@bakery')]
  row('2, rule 6', () => assert.deepEqual(both, [alice.address, alice.address]))
  // After a lease of two days its owner adds one more.
  await untilQuiet(market, shop)
  market.clock.leap(2 * DAY * 1000)
  const { available, status, lease: over } = await offer(shop, 'bakery')
  row('2, Username registration offer: available, status, lease', () => {
    assert.deepEqual([available, status, over!.owner], [false, 'grace', alice.address])
    assert.equal(over!.grace_until_unix, Number(over!.expires_unix) + DAY)
  })

  for (const name of ['admin', 'ADMIN', 'library']) {
    const answer = await offer(shop, name)
    const change = await shop.call('update_name', { name, title: 'x' })
    row(
      '2, Username registration offer: a reserved name, status; 2, rule 5; 3, Username: anybody asks for a reserved name',
      () => {
        const rest = { available: false, status: 'reserved', lease: null, plans: [], message: 'This name is reserved.' }
        assert.deepEqual(answer, { name, username: name, ...rest })
        assert.deepEqual([change.status, change.json().error], [400, 'Username not found.'])
      },
    )
  }
})

test('a change offer has one amount and the text that the owner signs', async (t) => {
  const market = await openMarket(t)
  const [alice, bob, exchange] = [await market.person(), await market.person(), await market.person()]
  const aliases = [{ account: exchange.address, alias: 'Exchange', exchange: true }]
  const shop = await market.start({ KNOWN_FILE: writeKnown(t, { aliases }) })
  await lease(market, shop, alice, 'Alice', '2 Days')
  const now = market.clock.now() / 1000
  const ask = async (fields: object) =>
    (await shop.call('update_name', { name: '@ALICE', ...fields })).json<Members>() as Record<string, string>
  const asked = await ask({})
  const { id, address, amount, amount_raw } = asked
  row(
    '2, Username change offer: address, browser, check, update_name, amount, amount_raw, link, id, json, expires_unix, authorized',
    () => {
      assert.deepEqual(asked, {
        id,
        address,
        browser: `${shop.url}/pay/${id}`,
        check: `${shop.url}/check/${id}`,
        json: `${shop.url}/checkout/${id}`,
        update_name: '@Alice',
        amount,
        amount_raw,
        link: `nano:${address}?amount=${amount_raw}`,
        expires_unix: now + DAY,
        authorized: false,
      })
      assert.match(id!, /^[0-9a-f]{16}$/)
      assert.ok(fromAddress(address!), address)
      assert.equal(`${nano(amount!)}`, amount_raw)
    },
  )
  const changes = { title: 'Shop' }
  const second = await ask(changes)
  const digest = createHash('sha256').update('{"title":"Shop"}').digest('hex')
  row('2, Username change offer: changes, to_sign', () => {
    assert.deepEqual([second.changes, second.authorized], [changes, false])
    assert.equal(second.to_sign, `nano-gateway update_name alice ${second.id} ${digest}`)
  })
  await market.send(alice, second.address!, second.amount_raw!)
  const { order: waiting } = await untilOrder(shop, second.id!, 'unauthorized')
  row('2, Order: kind, name, status, authorize_by_unix', () => {
    const by = { status: 'unauthorized', authorize_by_unix: now + DAY }
    assert.deepEqual(waiting, { kind: 'name_update', name: 'Alice', ...by })
  })
  const sign = ({ id, to_sign }: Record<string, string>) => ask({ id, signature: signText(alice.privateKey, to_sign!) })
  const authorized = await sign(second)
  row('2, Username change offer: authorized', () => assert.deepEqual(authorized, { ...second, authorized: true }))
  const { order: done } = await untilOrder(shop, second.id!, 'applied')
  row('2, Order: what', () => {
    assert.deepEqual(done, { kind: 'name_update', name: 'Alice', status: 'applied', what: '@Alice changed' })
  })
  const { lease: current } = await offer(shop, 'alice')
  row('2, Username registration offer: lease', () => assert.equal(current!.title, 'Shop'))

  // A refund to an exchange may be lost, so such money is kept for the operator.
  const [third, late, unsigned] = [await ask({}), await ask({}), await ask(changes)]
  const signed = await ask({ title: 'Mine' })
  await sign(signed)
  await market.send(alice, unsigned.address!, unsigned.amount_raw!)
  await untilOrder(shop, unsigned.id!, 'unauthorized')
  await untilQuiet(market, shop)
  market.clock.leap(2 * DAY * 1000)
  const block = await market.send(exchange, third.address!, third.amount_raw!)
  await turnUntil(market, 1_000, async () => (await shop.check(third.id!)).status === 'refunded')
  const { order: kept, refund, error } = await untilOrder(shop, third.id!, 'held')
  const held = { status: 'held', reason: 'name_not_leased' }
  row('2, Order: status, reason, refunds[]', () => {
    const refunds = [{ block, amount_raw: third.amount_raw, ...held }]
    assert.deepEqual(kept, { kind: 'name_update', name: 'Alice', ...held, refunds })
  })
  row('2, Checkout status: error, refund', () => {
    const waits = { hash: null, amount: third.amount, amount_raw: third.amount_raw, address: null }
    assert.deepEqual(refund, waits)
    assert.match(error!, /operator/)
  })
  await market.send(alice, late.address!, late.amount_raw!)
  const { order: over } = await untilRefunded(market, shop, late.id!)
  const { order: nobodys } = await untilRefunded(market, shop, unsigned.id!)
  // Signed in time, but the name belongs to somebody else when the payment arrives.
  market.clock.leap(2 * DAY * 1000)
  const free = await offer(shop, 'alice')
  await market.send(bob, free.address, priceOf(free, '1 Year'))
  await turnUntil(market, 1_000, async () => (await shop.check(free.id)).success)
  await market.send(alice, signed.address!, signed.amount_raw!)
  await turnUntil(market, 1_000, async () => (await shop.check(signed.id!)).status === 'refunded')
  const { order: hers } = await untilRefunded(market, shop, signed.id!)
  row('2, Order: reason', () => {
    const told = [over, nobodys, hers].map(({ status, reason }) => `${status}: ${reason}`)
    assert.deepEqual(told, ['refunded: name_not_leased', 'refunded: not_authorized', 'refunded: not_the_owner'])
  })
})

test('credits are offered like names, and an account sees its balance and use', async (t) => {
  const { market, shop, person: buyer } = await openStall(t)
  const { key } = await shop.join()
  const now = market.clock.now() / 1000
  const status = async () => (await shop.call('rpc_credits', {}, bearer(key))).json<Members>()
  const unused = await status()
  row('2, Credit status: credits, plan, usage', () => assert.deepEqual(unused, { credits: 0, plan: 'free', usage: {} }))
  const made = (await shop.call('buy_rpc', {}, bearer(key))).json<Offer>()
  const titles = ['1,000 Credits', '10,000 Credits', '20,000 Credits']
  const sold = { available: true, status: 'available', lease: null, titles }
  row('2, Username registration offer: buy_rpc', () => assert.deepEqual(assertOffer(made, shop.url, now), sold))
  await market.send(buyer, made.address, priceOf(made, '1,000 Credits'))
  const { order } = await untilOrder(shop, made.id, 'applied')
  row('2, Order: kind, status, what', () =>
    assert.deepEqual(order, { kind: 'credits', status: 'applied', what: '1,000 Credits' }),
  )
  for (let call = 0; call < 3; call++) await shop.call('version', {}, bearer(key))
  const used = async () => (await status()).usage as Record<string, Record<string, number>>
  await turnUntil(market, 1_000, async () => (await used())['2026-11-15']?.version === 3)
  const { credits, plan, usage } = await status()
  row('2, Credit status: credits, plan, usage', () => {
    assert.deepEqual([credits, plan, Object.keys(usage as object)], [1_000, 'prepaid', ['2026-11-15']])
    const { buy_rpc: bought, version } = (usage as Record<string, Members>)['2026-11-15']!
    assert.deepEqual([bought, version], [1, 3])
  })
  // A second payment is refunded, and the earlier purchase stays.
  await market.send(buyer, made.address, priceOf(made, '1,000 Credits'))
  const { order: twice } = await untilRefunded(market, shop, made.id)
  row('2, Order: reason', () =>
    assert.deepEqual([twice.status, twice.what, twice.refunds![0]!.reason], ['applied', order.what, 'already_paid']),
  )
  await untilQuiet(market, shop)
  const isKept = async (days: number) => {
    market.clock.leap(days * DAY * 1000)
    return '2026-11-15' in (await used())
  }
  const kept = [await isKept(30), await isKept(1)]
  row('2, Credit status: usage', () => assert.deepEqual(kept, [true, false]))
})
