import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCreditsBalance } from '../support/credits.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { openMailServer } from '../support/mail-server.ts'
import { until } from '../support/until.ts'
import { bearer, nano } from '../support/checkout-steps.ts'
import { type Offer, assertAccounted, openMarket, untilOrder, untilRefunded } from '../support/username-steps.ts'

/* Contract 4.1, keys and credits: how a key is asked for, what an account has, and what it can buy. */

test('rpc_key mails a link that works once, by either name, and tells whoever asks nothing else (contract 4.1, Keys and credits: rpc_key, rpc_credits; 5, How keys are issued: action rpc_key, synonym gpu_key, with email; 5, rule 15; 9, Synonyms: action rpc_key)', async (t) => {
  const mails = await openMailServer(t)
  const { url, call } = await openGateway(t, { SMTP_URL: mails.url, BASE_URL: 'https://gateway.example' })
  for (const [at, action] of ['rpc_key', 'gpu_key'].entries()) {
    const email = `user${at}@example.com`
    const reply = await call(action, { email })
    const message = `A sign-in link was sent to ${email}.`
    assert.deepEqual([reply.status, reply.json<unknown>()], [200, { success: true, message }])
    await until(() => mails.to(email).length === 1)
    const [mail] = mails.to(email)
    assert.doesNotMatch(mail!.data, /rpc_[sp]k_/, 'no key travels by mail')
    const [, link] = /(https:\/\/gateway\.example\/\S*#\w{40})$/m.exec(mail!.text) ?? []
    assert.ok(link, mail!.text)
    const post = (path: string, body: object, headers = {}) =>
      ask(`${url}${path}`, { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } })
    const signedIn = await post('/api/sign-in', { token: link.split('#')[1] })
    assert.equal(signedIn.status, 200, signedIn.text)
    assert.equal((await post('/api/sign-in', { token: link.split('#')[1] })).status, 401, 'it works once')
    const { key } = (await post('/api/keys', { name: 'first' }, bearer(signedIn.json().token!))).json()
    assert.match(key!, /^rpc_sk_[1-9A-HJ-NP-Za-km-z]{38}$/)
    const credits = await call('rpc_credits', {}, bearer(key!))
    const { usage, ...rest } = credits.json<Record<string, unknown>>()
    assert.deepEqual([credits.status, rest, typeof usage], [200, { credits: 0, plan: 'free' }, 'object'])
  }
  const none = await call('rpc_credits')
  assert.deepEqual([none.status, none.json().code], [401, 'key_required'])
  assert.match(none.json().error!, /API key required/)
  for (const email of ['nobody', 'a@b.example\r\nBcc: c@d.example', 7]) {
    const wrong = await call('rpc_key', { email })
    const { error, code, field } = wrong.json()
    assert.deepEqual([wrong.status, error, code, field], [400, 'Invalid email', 'invalid_email', 'email'])
  }
  const missing = await call('rpc_key')
  assert.deepEqual([missing.status, missing.json().field], [400, 'email'])
  assert.equal(mails.received.length, 2)
})

test('buy_rpc offers credits for the account of the key, and a paid plan is added once (contract 4.1, Keys and credits: buy_rpc; 4.1, rules 19 and 20; 5, How keys are issued: action buy_rpc; 5, What needs a key: buy_rpc; 8, rule 11)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const buyer = await market.person()
  const { accountId, key } = await shop.join()
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
  // Everything that the service sells is paid to one wallet of its own, sealed like those of its customers.
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

test('credits for an e-mail address go to its account, which a first purchase makes; nobody learns whether there was one (contract 4.1, rule 19; 5, What needs a key: buy_rpc; 5, How keys are issued: action buy_rpc)', async (t) => {
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

test('whoever has neither a secret key nor an address is told what is missing (contract 5, What needs a key: buy_rpc)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
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
