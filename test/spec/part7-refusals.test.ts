import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, bearer, openGateway } from '../support/gateway.ts'
import { newHash } from '../support/random.ts'
import { assertRefusal } from './refusal.ts'
import { row } from './row.ts'
import { alice } from './ledger-world.ts'

/* Contract 7: the body of an error, and errors that belong to no single part of the service. */

const SALE = { address: alice.address, amount: '1' }

test('every refusal has a text under two names and a code, and reveals no cause (contract 7, rules 1 and 4; 7, Status codes: 403, 5xx; 7, Texts and codes: metered action without credits, failure of our own, two different credentials, body too large)', async (t) => {
  const gateway = await openGateway(t, { FREE_WORK_PER_HALF_HOUR: '1' })
  const { app, call, log, post } = gateway
  const { key } = await gateway.join()
  const keyed = bearer(key)

  assert.equal((await call('work_generate', { hash: newHash() }, keyed)).status, 200)
  const spent = await call('work_generate', { hash: newHash() }, keyed)
  assertRefusal(spent, 403, /buy_rpc/, 'insufficient_credits')

  const two = await call('version', { key: 'another' }, keyed)
  assertRefusal(two, 401, 'Two different API keys were given.', 'conflicting_credentials')
  const large = await post(`"${'x'.repeat(1_048_576)}"`, keyed)
  assertRefusal(large, 413, 'The body is larger than 1048576 bytes.', 'body_too_large')

  const wrong = await call('checkout', { ...SALE, address: 'nano_1' }, keyed)
  assertRefusal(wrong, 400, 'Bad account number', 'invalid_account')
  const lacking = await call('cloud_wallet', { balance: 'true' }, keyed)
  row('7, Texts and codes: required field missing', () =>
    assertRefusal(lacking, 400, 'The field account is required.', 'invalid_request'),
  )
  row('7, Body: field', () => assert.deepEqual([wrong.json().field, lacking.json().field], ['address', 'account']))

  await app.store.db.schema.dropTable('credit_balances').execute()
  const broken = await call('rpc_credits', {}, keyed)
  const failure = 'Internal server error.'
  const body = { error: failure, message: failure, code: 'internal_error' }
  assert.deepEqual([broken.status, broken.json()], [500, body])
  assert.match(log(), /no such table: credit_balances/, 'the operator learns the cause')

  for (const reply of [spent, two, large, broken]) {
    const { error, message, code } = reply.json<Record<string, unknown>>()
    row('7, Body: error, message', () => assert.deepEqual([typeof error, message], ['string', error]))
    row('7, Body: code', () => assert.match(String(code), /^[a-z]+(_[a-z]+)*$/))
    assert.doesNotMatch(reply.text, /sqlite|select|table| at |\.ts|node_modules/i)
  }
})

test('404 for what is missing, word for word the same for what belongs to another account (contract 7, rule 7; 7, Status codes: 404; 7, Texts and codes: path that is none)', async (t) => {
  const gateway = await openGateway(t)
  const { call, rest, url } = gateway
  const [{ key: owner }, { key: stranger }] = [await gateway.join(), await gateway.join()]
  const sale = (await call('checkout', SALE, { key: owner })).json().id!
  const emails = { refund_address: alice.address, amount: '1', emails: ['x@example.com'] }
  const gift = (await call('nano_email', emails, { key: owner })).json().id!
  const { keys } = (await rest('GET', '/api/keys', owner)).json<{ keys: { id: string }[] }>()
  const things: [method: string, path: (id: string) => string, id: string, missing: string][] = [
    ['GET', (id) => `/api/checkouts/${id}`, sale, '0123456789abcdef'],
    ['GET', (id) => `/api/emails/${id}`, gift, '0123456789abcdef'],
    ['DELETE', (id) => `/api/keys/${id}`, keys[0]!.id, 'key_missing'],
  ]
  for (const [method, path, id, missing] of things) {
    const seen = await Promise.all(
      [id, missing].map(async (one) => {
        const { status, text, headers } = await rest(method, path(one), stranger)
        return [status, text, headers['content-type'], headers['cache-control']]
      }),
    )
    assert.equal(seen[0]![0], 404, `${method} ${path(id)}`)
    assert.deepEqual(seen[0], seen[1])
    assert.match(String(seen[0]![1]), /^\{"error":"[^"]+ not found\.","message":"[^"]+","code":"not_found"/)
  }
  assert.equal((await rest('GET', `/api/checkouts/${sale}`, owner)).status, 200)
  assert.equal((await rest('GET', '/api/keys', owner)).json<{ keys: object[] }>().keys.length, 1)

  for (const path of ['/nowhere', '/api/nothing', '/api/keys/x/y']) {
    assertRefusal(await rest('GET', path, owner), 404, 'Not found.', 'not_found')
  }
  assert.equal((await ask(`${url}/`, { method: 'PUT' })).status, 405)
})
