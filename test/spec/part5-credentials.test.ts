import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { createApiKey } from '../../src/kernel/api-key.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { type Ask, type Reply, ask, bearer } from '../support/gateway.ts'
import { testRandom } from '../support/random.ts'
import { shareGateway } from '../support/shared-gateway.ts'
import { assertRefusal } from './refusal.ts'
import { another } from '../support/another.ts'

/* Contract 5: where credentials are read from, and what happens with them. */

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)
const BLOCK_COUNT = '{"action":"block_count"}'
type Place = Ask & { query?: string }

/** All places of a credential, in order of precedence. */
const PLACES: Record<string, (key: string) => Place> = {
  'Authorization: Bearer': (key) => ({ headers: bearer(key) }),
  'Authorization, bare': (key) => ({ headers: { authorization: key } }),
  'header key': (key) => ({ headers: { key } }),
  'header X-API-Key': (key) => ({ headers: { 'x-api-key': key } }),
  'body key': (key) => ({ body: JSON.stringify({ action: 'block_count', key }) }),
  'Authorization: Basic': (key) => ({
    headers: { authorization: `Basic ${Buffer.from(`anybody:${key}`).toString('base64')}` },
  }),
  'query key': (key) => ({ query: `?key=${encodeURIComponent(key)}` }),
}

const gateway = shareGateway()

function askWith(...parts: Place[]): Promise<Reply> {
  const { query = '', ...rest } = parts.reduce((all, part) => ({
    ...all,
    ...part,
    headers: { ...all.headers, ...part.headers },
  }))
  return ask(`${gateway.url}/${query}`, { body: BLOCK_COUNT, ...rest })
}

/** The gateway's own actions are logged as well. */
const lastCaller = () =>
  gateway
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { caller?: string })
    .findLast(({ caller }) => caller !== undefined)?.caller

const assertConflict = (reply: Reply) =>
  assertRefusal(reply, 401, 'Two different API keys were given.', 'conflicting_credentials')

test('a key is found in all places, by RPC and by REST, and an empty one is none (contract 5, rules 3, 7 and 10; 5, Where a credential is read: 1, 2, 3, 4, 5, 6, 7)', async () => {
  const adminKey = gateway.app.createdKey!
  const unknownKey = createApiKey('secret', testRandom)
  const make = (key: string, headers: Ask['headers'] = {}) =>
    ask(`${gateway.url}/api/keys`, { headers, body: JSON.stringify({ name: 'From a backend', key }) })
  const byRest = (place: string, key: string) => {
    if (place === 'body key') return make(key)
    const { query = '', headers } = PLACES[place]!(key)
    return ask(`${gateway.url}/api/keys${query}`, { method: 'GET', ...(headers && { headers }) })
  }
  for (const [place, put] of Object.entries(PLACES)) {
    assert.equal((await askWith(put(adminKey))).status, 200, place)
    assert.equal(lastCaller(), 'account', place)
    assert.equal((await byRest(place, adminKey)).status, place === 'body key' ? 201 : 200, place)
    for (const empty of ['', ' ']) {
      assert.equal((await askWith(put(empty))).status, 200, place)
      assert.equal(lastCaller(), 'anonymous', place)
    }
    assertRefusal(await byRest(place, ''), 401, /API key required/, 'key_required')
    for (const bad of ['wrong', unknownKey, `${adminKey}x`, createApiKey('public', testRandom)]) {
      assertRefusal(await askWith(put(bad)), 401, 'Invalid API Key.', 'invalid_key')
    }
    assertRefusal(await byRest(place, 'wrong'), 401, 'Invalid API Key.', 'invalid_key')
  }
  for (const body of [{ key: null }, { key: 5 }, { key: {} }]) {
    assert.equal((await gateway.call('block_count', body)).status, 200, JSON.stringify(body))
  }
  assertConflict(await make(adminKey, bearer('another')))
  assert.equal((await make(adminKey, bearer(adminKey))).status, 201)
})

test('401 for two different keys in one request, and the same key twice is one (contract 5, rule 11)', async () => {
  const adminKey = gateway.app.createdKey!
  const places = Object.entries(PLACES)
  for (const [one, putOne] of places) {
    for (const [other, putOther] of places) {
      // Both use the same header.
      if (one === other || (one.startsWith('Authorization') && other.startsWith('Authorization'))) continue
      assertConflict(await askWith(putOne(adminKey), putOther('another')))
      assert.equal((await askWith(putOne(adminKey), putOther(adminKey))).status, 200)
      assert.equal((await askWith(putOne(adminKey), putOther(''))).status, 200)
    }
  }
  assertConflict(await ask(`${gateway.url}/?key=${adminKey}&key=another`, { body: BLOCK_COUNT }))
})

test('a client that can be given nothing but a URL puts its key there, at every endpoint, and it is logged nowhere (contract 5, Where a credential is read: 8)', async () => {
  const { url, app } = gateway
  const key = app.createdKey!
  const at = (path: string, headers: Record<string, string> = {}) =>
    ask(`${url}${path}`, { body: BLOCK_COUNT, headers })
  for (const path of [`/k/${key}/`, `/k/${key}/node`, `/k/${key}/?from=elsewhere`]) {
    for (const headers of [{}, { 'x-api-key': key }, { connection: 'close' }] as Record<string, string>[]) {
      assert.equal((await at(path, headers)).status, 200, path)
      assert.equal(lastCaller(), 'account', path)
    }
    for (const name of ['authorization', 'x-api-key', 'key']) assertConflict(await at(path, { [name]: 'another' }))
    assertRefusal(await at(path.replace(key, another(key))), 401, 'Invalid API Key.', 'invalid_key')
  }
  for (const path of [`/k/${key}`, `/k/${key}/api/keys`, `/k/${key}/health/live`, '/k//']) {
    const reply = await ask(`${url}${path}`, { method: 'GET' })
    assert.equal(reply.status, 404, path)
    assert.ok(!reply.text.includes(key))
  }
  const socket = new WebSocket(`${url.replace('http', 'ws')}/k/${key}/ws`)
  await once(socket, 'open')
  socket.close()
  assert.ok(!gateway.log().includes(key))
})

test('the parameter `key` of account_get is no credential', async () => {
  const key = DEV_NETWORK.genesisAccount
  assert.deepEqual((await gateway.call('account_get', { key })).json(), { account: GENESIS })
  const keyed = bearer(gateway.app.createdKey!)
  assert.deepEqual((await gateway.call('account_get', { key }, keyed)).json(), { account: GENESIS })
  assert.equal(lastCaller(), 'account')
  assertRefusal(await gateway.call('account_get', { key }, { authorization: 'wrong' }), 401, /./, 'invalid_key')
  assertRefusal(await gateway.call('account_get', { key: 'xyz' }), 400, 'Bad public key', 'invalid_key_format')
})

test('401 for a key that is wrong, unknown or revoked, in the words of the contract (contract 5, rule 16; 7, Texts and codes: bad key; 7, Status codes: 401)', async () => {
  const adminKey = gateway.app.createdKey!
  const { id, key } = (await gateway.rest('POST', '/api/keys', adminKey, { name: 'Short-lived' })).json()
  assert.equal((await gateway.call('rpc_credits', { key })).status, 200)
  const revoked = await gateway.rest('DELETE', `/api/keys/${id}`, adminKey)
  assert.deepEqual(revoked.json<unknown>(), { success: true, id })
  const body = { error: 'Invalid API Key.', message: 'Invalid API Key.', code: 'invalid_key' }
  for (const wrong of [key!, another(adminKey), createApiKey('secret', testRandom), 'a.b.c']) {
    for (const action of ['version', 'rpc_credits', 'work_generate', 'checkout']) {
      const reply = await gateway.call(action, {}, bearer(wrong))
      assert.deepEqual([reply.status, reply.json<unknown>()], [401, body], action)
    }
    const rest = await gateway.rest('GET', '/api/account', wrong)
    assert.deepEqual([rest.status, rest.json<unknown>()], [401, body])
  }
  assertRefusal(await gateway.call('rpc_credits'), 401, 'API key required for rpc_credits.', 'key_required')
  const keyless = await gateway.rest('GET', '/api/account')
  assertRefusal(keyless, 401, 'API key required, or a session.', 'key_required')
})

test('a checkout reads its public key from `public_key`, other actions do not (contract 5, Where a credential is read: for checkout also)', async () => {
  const origin = 'https://shop.example'
  const key = gateway.app.createdKey!
  const made = await gateway.rest('POST', '/api/keys', key, { name: 'Page', kind: 'public', origins: [origin] })
  const public_key = made.json().key!
  const checkout = (fields: object, headers: Record<string, string> = { origin }) =>
    gateway.call('checkout', { address: GENESIS, amount: '1', ...fields }, headers)
  const { id } = (await checkout({ public_key })).json()
  const mine = await gateway.rest('GET', `/api/checkouts/${id}`, key)
  assert.equal(mine.status, 200, 'it belongs to the account of the key')
  assert.equal((await checkout({ public_key: '' })).status, 200)
  assertRefusal(await checkout({ public_key: 'rpc_pk_wrong' }), 401, 'Invalid API Key.', 'invalid_key')
  assertConflict(await checkout({ public_key }, { origin, key }))
  assert.equal((await gateway.call('block_count', { public_key: 'rpc_pk_wrong' })).status, 200)
})
