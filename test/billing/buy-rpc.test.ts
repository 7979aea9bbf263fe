import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCreditsBalance } from '../support/credits.ts'
import { until } from '../support/until.ts'
import { bearer, nano, turnUntil } from '../checkout/world.ts'
import { type Offer, assertAccounted, openMarket, untilOrder, untilQuiet, untilRefunded } from '../usernames/world.ts'

/* Credits for sale: added when the payment is confirmed, once. */

test('buy_rpc offers credits for the account of the key, and a paid plan is added once (contract 2, Username registration offer; 4.1, Keys and credits: buy_rpc; 4.1, rules 19 and 20; 5, How keys are issued: action buy_rpc; 5, What needs a key: buy_rpc; 8, Credits; 8, rule 11)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const buyer = await market.person()
  const { accountId, key } = await market.join(shop)
  // A key says whose they are, whatever else is said.
  const reply = await shop.call('buy_rpc', { email: 'somebody@example.com' }, bearer(key))
  const made = reply.json<Offer>()
  assert.deepEqual(Object.keys(made).sort(), [
    ...['address', 'available', 'browser', 'check', 'expires_unix', 'id', 'json', 'lease', 'plans', 'status'],
  ])
  assert.deepEqual([made.available, made.status, made.lease], [true, 'available', null])
  const prices = { '1,000 Credits': '0.2', '10,000 Credits': '2', '20,000 Credits': '4' }
  assert.deepEqual(
    made.plans.map(({ title }) => title),
    Object.keys(prices),
  )
  for (const { title, value, value_raw: raw } of made.plans) {
    const price = nano(prices[title as keyof typeof prices])
    assert.equal(nano(value), BigInt(raw))
    assert.ok(BigInt(raw) > price && BigInt(raw) < price + (price * 6n) / 1000n, `${title}: ${value}`)
  }
  const credits = async () =>
    (await shop.call('rpc_credits', {}, bearer(key))).json<{ credits: number; plan: string }>()
  assert.deepEqual([(await credits()).credits, (await credits()).plan], [0, 'free'])
  await market.send(buyer, made.address, made.plans[1]!.value_raw)
  const { order } = await untilOrder(shop, made.id, 'applied')
  assert.deepEqual(order, { kind: 'credits', status: 'applied', what: '10,000 Credits' })
  assert.deepEqual([(await credits()).credits, (await credits()).plan], [10_000, 'prepaid'])

  // The same amount again buys nothing more and comes back; so does another plan of the same offer.
  await market.send(buyer, made.address, made.plans[1]!.value_raw)
  await market.send(buyer, made.address, made.plans[0]!.value_raw)
  await untilRefunded(market, shop, made.id, 2)
  assert.equal((await credits()).credits, 10_000)
  assert.equal(market.fundsOf(buyer.address), nano('100') - BigInt(made.plans[1]!.value_raw))
  const { db } = shop.app.store
  const entries = await db.selectFrom('credit_entries').selectAll().where('account_id', '=', accountId).execute()
  assert.equal(entries.length, 1)
  await assertCreditsBalance(db)
  await assertAccounted(market, shop)
})

test('credits for an e-mail address go to its account, which a first purchase makes; nobody learns whether there was one (contract 4.1, rule 19; 5, What needs a key: or an email instead; 5, How keys are issued: action buy_rpc)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const buyer = await market.person()
  const { db } = shop.app.store
  const accounts = async () => db.selectFrom('accounts').selectAll().where('email', '=', 'bob@example.com').execute()
  for (const email of ['bob@example.com', 'Bob@Example.com']) {
    const made = (await shop.call('buy_rpc', { email })).json<Offer>()
    assert.equal(JSON.stringify(made).toLowerCase().includes('bob@'), false)
    await market.send(buyer, made.address, made.plans[0]!.value_raw)
    const check = await untilOrder(shop, made.id, 'applied')
    assert.equal(JSON.stringify(check).toLowerCase().includes('bob@'), false, 'whoever knows the id learns no address')
  }
  const [account, ...more] = await accounts()
  assert.deepEqual(more, [])
  const balance = await db.selectFrom('credit_balances').selectAll().execute()
  assert.deepEqual(balance, [{ account_id: account!.id, available: 2_000 }])
  const mails = () => db.selectFrom('mails').select(['recipient', 'subject']).execute()
  await until(async () => (await mails()).length === 2)
  const mail = { recipient: 'bob@example.com', subject: 'Credits were added' }
  assert.deepEqual(await mails(), [mail, mail])
  await assertAccounted(market, shop)
})

test('a wrong amount buys nothing and is kept for the operator; a late one buys (contract 3, rule 11)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const buyer = await market.person()
  const { key } = await market.join(shop)
  const made = (await shop.call('buy_rpc', {}, bearer(key))).json<Offer>()
  const bare = await market.send(buyer, made.address, `${nano('0.2')}`)
  const { db } = shop.app.store
  const unmatched = () => db.selectFrom('checkout_payments').selectAll().where('kind', '=', 'unmatched').execute()
  await until(async () => (await unmatched()).length === 1)
  assert.deepEqual(
    (await unmatched()).map(({ block_hash: hash, owner }) => [hash, owner]),
    [[bare, 'service']],
  )
  assert.equal((await shop.check(made.id)).status, 'pending')
  await turnUntil(market, 2 * 3_600_000, async () => (await shop.check(made.id)).status === 'expired')
  await market.send(buyer, made.address, made.plans[0]!.value_raw)
  await turnUntil(market, 1_000, async () => (await shop.check(made.id)).success)
  const { credits } = (await shop.call('rpc_credits', {}, bearer(key))).json<{ credits: number }>()
  assert.equal(credits, 1_000)
  await untilQuiet(market, shop)
  await assertAccounted(market, shop)
})

test('whoever has neither a secret key nor an address is told what is missing (contract 5, What needs a key: buy_rpc)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const origin = 'https://shop.example'
  const { key } = await market.join(shop, 'public', [origin])
  const refusals: [fields: object, headers: Record<string, string>, status: number, code: string][] = [
    [{}, {}, 401, 'key_required'],
    [{}, { ...bearer(key), origin }, 401, 'key_required'],
    [{}, bearer('rpc_sk_wrong'), 401, 'invalid_key'],
    [{ email: 'nobody' }, {}, 400, 'invalid_email'],
    [{ email: 'a@b.example, c@d.example' }, {}, 400, 'invalid_email'],
    [{ email: 'a@b.example\r\nBcc: c@d.example' }, {}, 400, 'invalid_email'],
    [{ email: 7 }, {}, 400, 'invalid_email'],
  ]
  for (const [fields, headers, status, code] of refusals) {
    const reply = await shop.call('buy_rpc', fields, headers)
    assert.deepEqual([reply.status, reply.json().code], [status, code], JSON.stringify([fields, headers]))
  }
})

test('the same offer is answered to a repeated request with the same key', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const { key } = await market.join(shop)
  const headers = { ...bearer(key), 'idempotency-key': 'once' }
  const [first, second] = [await shop.call('buy_rpc', {}, headers), await shop.call('buy_rpc', {}, headers)]
  assert.equal(second.headers['idempotent-replayed'], 'true')
  assert.equal(first.text, second.text)
})
