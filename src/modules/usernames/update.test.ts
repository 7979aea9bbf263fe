import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../../../test/support/blocks.ts'
import {
  askChange,
  assertAccounted,
  lease,
  offer,
  openMarket,
  openStall,
  sign,
  untilQuiet,
  untilRefunded,
} from '../../../test/support/username-steps.ts'

/* What owners change about their names, and who may not. */

test('a change that comes too late is not carried out and paid back (contract 4.1, rule 18; 3, rule 10)', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  await lease(market, shop, alice, 'alice', '2 Days')
  const late = await askChange(shop, { name: 'alice' })
  await askChange(shop, sign(alice, late, { name: 'alice', title: 'Too late' }))
  await untilQuiet(market, shop)
  market.clock.leap(2 * 86_400_000)
  const before = market.fundsOf(alice.address)
  await market.send(alice, late.address, late.amount_raw)
  const { status, order } = await untilRefunded(market, shop, late.id)
  assert.deepEqual([status, order.status, order.reason], ['refunded', 'refunded', 'name_not_leased'])
  assert.equal(market.fundsOf(alice.address), before)
  await assertAccounted(market, shop)
})

test('a change that is asked for again with the same key is the same offer, and another change with it is refused', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  await lease(market, shop, alice, 'alice', '1 Year')
  const named = { 'idempotency-key': 'change-1' }
  const first = await askChange(shop, { name: 'alice', title: 'Alice' }, named)
  assert.deepEqual(await askChange(shop, { name: 'alice', title: 'Alice' }, named), first)
  const other = await shop.call('update_name', { name: 'alice', title: 'Eve' }, named)
  assert.deepEqual([other.status, other.json<{ code: string }>().code], [409, 'idempotency_conflict'])
})

test('reserved words are nobody’s, however they are written (contract 2, Username registration offer: status; 2, rule 5; 3, Username: anybody asks for a reserved name)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start({ KNOWN_NAMES: JSON.stringify({ Library: new Signer(901).address }) })
  const words = 'admin ADMIN @Nano xno null true false api adm1n Nan0 b1nance paypaI library L1brary'
  for (const name of words.split(' ')) {
    const { message, ...answer } = (await shop.call('get_name', { name })).json<Record<string, unknown>>()
    const given = name.replace('@', '')
    const none = { available: false, status: 'reserved', lease: null, plans: [] }
    assert.deepEqual(answer, { name: given, username: given, ...none }, name)
    assert.match(String(message), /reserved/)
  }
  assert.equal((await offer(shop, 'administratively')).status, 'available', 'a word may be part of a name')
  // Names configured by the operator are fixed, in any case, and nobody can lease them.
  const balance = await shop.call('account_balance', { account: '@LIBRARY' })
  assert.equal(balance.json().address, new Signer(901).address)
  const lookalike = await shop.call('account_balance', { account: '@\u212aibrary' })
  assert.deepEqual([lookalike.status, lookalike.json().code], [400, 'username_not_found'])
})

test('one caller gets so many offers a day and no more', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start({ OFFERS_PER_DAY_MAX: '2' })
  await offer(shop, 'one')
  await shop.call('get_name', { name: 'admin' })
  await shop.call('buy_rpc', { email: 'alice@example.com' })
  const refused = await shop.call('get_name', { name: 'three' })
  assert.deepEqual([refused.status, refused.json().code], [429, 'too_many_requests'])
  assert.ok(Number(refused.headers['retry-after']) > 80_000)
  const { key } = await shop.join()
  assert.equal((await shop.call('get_name', { name: 'three' }, { authorization: `Bearer ${key}` })).status, 200)
  market.clock.leap(86_400_000)
  await offer(shop, 'four')
})
