import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCreditsBalance } from '../support/credits.ts'
import { until } from '../support/until.ts'
import { bearer, nano } from '../support/checkout-steps.ts'
import { type Offer, assertAccounted, openStall, untilOrder, untilRefunded } from '../support/username-steps.ts'

/* Contract 4.1, keys and credits: an account's balance and what it can buy. Requesting a key is in part5-keys. */

test('buy_rpc offers credits for the account of the key, and a paid plan is added once (contract 4.1, Keys and credits: buy_rpc, rpc_credits; 4.1, rules 19 and 20; 5, How keys are issued: action buy_rpc; 5, What needs a key: buy_rpc; 8, rule 11)', async (t) => {
  const { market, shop, person: buyer } = await openStall(t)
  const { accountId, key } = await shop.join()
  // The key decides whose credits they are, whatever `email` says.
  const reply = await shop.call('buy_rpc', { email: 'somebody@example.com' }, bearer(key))
  const made = reply.json<Offer>()
  // All of the service's income goes to its own wallet, encrypted like those of customers.
  const treasury = await shop.app.store.db
    .selectFrom('wallets')
    .innerJoin('wallet_keys', 'wallet_keys.wallet_id', 'wallets.id')
    .select(['wallets.address', 'wallet_keys.sealed_key'])
    .where('purpose', '=', 'treasury')
    .execute()
  const { address: soldAt } = (await shop.call('get_name', { name: 'alice' })).json()
  assert.deepEqual([[treasury.map(({ address }) => address)], soldAt], [[[made.address]], made.address])
  assert.doesNotMatch(treasury[0]!.sealed_key, /^[0-9A-Fa-f]{64}$/)
  const credits = async () =>
    (await shop.call('rpc_credits', {}, bearer(key))).json<{ credits: number; plan: string }>()
  assert.deepEqual([(await credits()).credits, (await credits()).plan], [0, 'free'])
  await market.send(buyer, made.address, made.plans[1]!.value_raw)
  const { order } = await untilOrder(shop, made.id, 'applied')
  assert.deepEqual(order, { kind: 'credits', status: 'applied', what: '10,000 Credits' })
  assert.deepEqual([(await credits()).credits, (await credits()).plan], [10_000, 'prepaid'])

  // Paying the same amount again buys nothing more and is refunded; so is another plan of the same offer.
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

test('credits for an e-mail address go to its account, which a first purchase makes; nobody learns whether there was one (contract 4.1, rule 19; 5, What needs a key: buy_rpc; 5, How keys are issued: action buy_rpc)', async (t) => {
  const { market, shop, person: buyer } = await openStall(t)
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

test('a caller with neither a secret key nor an email address gets an error that names what is missing (contract 5, What needs a key: buy_rpc)', async (t) => {
  const { shop } = await openStall(t)
  const origin = 'https://shop.example'
  const { key } = await shop.join({ kind: 'public', origins: [origin] })
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
