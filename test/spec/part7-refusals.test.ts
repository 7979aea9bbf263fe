import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld, turnUntil } from '../support/checkout-steps.ts'
import { TestClock } from '../support/clock.ts'
import { type Reply, ask, openGateway } from '../support/gateway.ts'
import { newHash } from '../support/x402-steps.ts'
import { assertRefusal } from './refusal.ts'
import { row } from './row.ts'
import { alice } from './ledger-world.ts'

/* Contract 7: the body of a refusal, and the refusals that belong to no single part of the service. */

const HOUR = 3_600_000
const SALE = { address: alice.address, amount: '1' }

test('every refusal has a text under two names and a code, and tells no cause (contract 7, rules 1 and 4; 7, Status codes: 403, 409, 429, 5xx; 7, Texts and codes: over a limit, metered action without credits, idempotency key used with another body, failure of our own, two different credentials, body too large)', async (t) => {
  const clock = new TestClock()
  const gateway = await openGateway(t, { LIMIT_ANONYMOUS_PER_MINUTE: '3', FREE_WORK_PER_HALF_HOUR: '1' }, clock)
  const { app, call, log, post } = gateway
  const { key } = await gateway.join()
  const keyed = { authorization: `Bearer ${key}` }

  for (const remaining of ['2', '1', '0']) {
    const { status, headers } = await call('version')
    assert.deepEqual([status, headers['ratelimit-remaining']], [200, remaining])
  }
  const over = await call('version')
  const text = 'Too many requests.'
  const detail = '3 requests a minute from one address without a key. A key has limits of its own: rpc_key.'
  const limited = { error: text, message: text, code: 'too_many_requests', detail, retry_after: 20 }
  row('7, Body: detail', () =>
    assert.deepEqual([over.status, over.json<unknown>(), over.headers['retry-after']], [429, limited, '20']),
  )
  clock.advance(20_000)
  assert.equal((await call('version')).status, 200, 'whoever waits as long as told is let in')
  assert.equal((await call('version')).status, 429)

  assert.equal((await call('work_generate', { hash: newHash() }, keyed)).status, 200)
  const spent = await call('work_generate', { hash: newHash() }, keyed)
  assertRefusal(spent, 403, /buy_rpc/, 'insufficient_credits')

  const once = { ...keyed, 'idempotency-key': 'order-1' }
  const first = await call('checkout', SALE, once)
  assert.equal((await call('checkout', SALE, once)).text, first.text)
  assertRefusal(await call('checkout', { ...SALE, amount: '2' }, once), 409, /./, 'idempotency_conflict')

  // Credentials that cannot be told count against the address.
  clock.advance(60_000)
  const two = await call('version', { key: 'another' }, keyed)
  assertRefusal(two, 401, 'Two different API keys were given.', 'conflicting_credentials')
  const large = await post(`"${'x'.repeat(1_048_576)}"`, keyed)
  assertRefusal(large, 413, 'The body is larger than 1048576 bytes.', 'body_too_large')

  const wrong = await call('checkout', { ...SALE, address: 'nano_1' }, keyed)
  assertRefusal(wrong, 400, 'Bad account number', 'invalid_account')
  const lacking = await call('cloud_wallet', { balance: 'true' }, keyed)
  row('7, Texts and codes: field missing in an action of the service', () =>
    assertRefusal(lacking, 400, 'The field account is required.', 'invalid_request'),
  )
  row('7, Body: field', () => assert.deepEqual([wrong.json().field, lacking.json().field], ['address', 'account']))

  await app.store.db.schema.dropTable('credit_balances').execute()
  const broken = await call('rpc_credits', {}, keyed)
  const failure = 'Internal server error.'
  const body = { error: failure, message: failure, code: 'internal_error' }
  assert.deepEqual([broken.status, broken.json()], [500, body])
  assert.match(log(), /no such table: credit_balances/, 'the operator learns the cause')

  for (const reply of [over, spent, two, large, broken]) {
    const { error, message, code } = reply.json<Record<string, unknown>>()
    row('7, Body: error, message', () => assert.deepEqual([typeof error, message], ['string', error]))
    row('7, Body: code', () => assert.match(String(code), /^[a-z]+(_[a-z]+)*$/))
    assert.doesNotMatch(reply.text, /sqlite|select|table| at |\.ts|node_modules/i)
  }
})

test('404 for what is missing, word for word the same for what belongs to another account (contract 7, rule 7; 7, Status codes: 404, 409; 7, Texts and codes: checkout id unknown, path that is none)', async (t) => {
  const gateway = await openGateway(t)
  const { call, url } = gateway
  const [{ key: owner }, { key: stranger }] = [await gateway.join(), await gateway.join()]
  const rest = (method: string, path: string, key: string, body?: object): Promise<Reply> =>
    ask(`${url}${path}`, { method, headers: { key }, ...(body && { body: JSON.stringify(body) }) })
  const sale = (await call('checkout', SALE, { key: owner })).json().id!
  const emails = { refund_address: alice.address, amount: '1', emails: ['x@example.com'] }
  const gift = (await call('nano_email', emails, { key: owner })).json().id!
  const { keys } = (await rest('GET', '/api/keys', owner)).json<{ keys: { id: string }[] }>()
  const things: [method: string, path: (id: string) => string, id: string, missing: string][] = [
    ['GET', (id) => `/api/checkouts/${id}`, sale, '0123456789abcdef'],
    ['PUT', (id) => `/api/checkouts/${id}`, sale, '0123456789abcdef'],
    ['DELETE', (id) => `/api/admin/checkouts/${id}`, sale, '0123456789abcdef'],
    ['GET', (id) => `/api/emails/${id}`, gift, '0123456789abcdef'],
    ['DELETE', (id) => `/api/keys/${id}`, keys[0]!.id, 'key_missing'],
    ['POST', (id) => `/api/keys/${id}/rotate`, keys[0]!.id, 'key_missing'],
    ['POST', (id) => `/api/events/${id}/redeliver`, 'evt_missing', 'evt_other'],
  ]
  for (const [method, path, id, missing] of things) {
    const seen = await Promise.all(
      [id, missing].map(async (one) => {
        const { status, text, headers } = await rest(method, path(one), stranger, method === 'GET' ? undefined : {})
        return [status, text, headers['content-type'], headers['cache-control']]
      }),
    )
    assert.equal(seen[0]![0], 404, `${method} ${path(id)}`)
    assert.deepEqual(seen[0], seen[1])
    assert.match(String(seen[0]![1]), /^\{"error":"[^"]+ not found\.","message":"[^"]+","code":"not_found"/)
  }
  assert.equal((await rest('GET', `/api/checkouts/${sale}`, owner)).status, 200)
  assert.equal((await rest('GET', '/api/keys', owner)).json<{ keys: object[] }>().keys.length, 1)

  const body = { error: 'Checkout not found.', message: 'Checkout not found.', code: 'not_found' }
  for (const path of ['/check/0123456789abcdef', '/confirm/x', '/checkout/0123456789abcdef', '/checkout/x/check']) {
    const reply = await ask(`${url}${path}`, { method: 'GET' })
    assert.deepEqual([reply.status, reply.json()], [404, body], path)
  }
  const page = await ask(`${url}/pay/0123456789abcdef`, { method: 'GET', headers: { accept: 'text/html' } })
  assert.deepEqual([page.status, page.headers['content-type']], [404, 'text/html; charset=utf-8'])
  for (const path of ['/nowhere', '/api/nothing', '/api/keys/x/y']) {
    assertRefusal(await rest('GET', path, owner), 404, 'Not found.', 'not_found')
  }

  // A change that the state forbids: the price is fixed once somebody saw it.
  assert.equal((await rest('PUT', `/api/checkouts/${sale}`, owner, { title: 'Book' })).status, 200)
  await ask(`${url}/pay/${sale}`, { method: 'GET', headers: { accept: 'text/html' } })
  const fixed = await rest('PUT', `/api/checkouts/${sale}`, owner, { amount: '2' })
  assertRefusal(fixed, 409, 'amount cannot be changed after the page was opened or a payment was seen.', 'conflict')
  assert.equal(fixed.json().field, 'amount')
  assert.equal((await ask(`${url}/`, { method: 'PUT' })).status, 405)
})

test('an expired checkout says so in its check, with 200 (contract 7, rule 1; 7, Texts and codes: expired checkout, in a check answer)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const { id } = await shop.open(SALE)
  await turnUntil(world, 2 * HOUR, async () => (await shop.check(id)).status === 'expired')
  const reply = await ask(`${shop.url}/check/${id}`, { method: 'GET' })
  const { status, success, expired, error } = reply.json<Record<string, unknown>>()
  assert.equal(reply.status, 200)
  assert.deepEqual([status, success, expired, error], ['expired', false, true, 'Expired checkout.'])
})
