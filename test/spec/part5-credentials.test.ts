import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemRandom } from '../../src/infra/random.ts'
import { createApiKey } from '../../src/kernel/api-key.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { type Ask, type Gateway, type Reply, ask, openGateway } from '../support/gateway.ts'
import { assertRefusal } from './refusal.ts'

/* Contract 5: where a credential is read, and what becomes of it. */

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)
const BLOCK_COUNT = '{"action":"block_count"}'

/** Every place a credential may stand in, in the order it is looked for. */
const PLACES: Record<string, (key: string) => Ask & { query?: string }> = {
  'Authorization: Bearer': (key) => ({ headers: { authorization: `Bearer ${key}` } }),
  'Authorization, bare': (key) => ({ headers: { authorization: key } }),
  'header key': (key) => ({ headers: { key } }),
  'header X-API-Key': (key) => ({ headers: { 'x-api-key': key } }),
  'body key': (key) => ({ body: JSON.stringify({ action: 'block_count', key }) }),
  'query key': (key) => ({ query: `?key=${encodeURIComponent(key)}` }),
}

function askWith(gateway: Gateway, ...parts: (Ask & { query?: string })[]): Promise<Reply> {
  const { query = '', ...rest } = parts.reduce((all, part) => ({
    ...all,
    ...part,
    headers: { ...all.headers, ...part.headers },
  }))
  return ask(`${gateway.url}/${query}`, { body: BLOCK_COUNT, ...rest })
}

/** What the gateway does by itself is logged as well. */
const lastCaller = (gateway: Gateway) =>
  gateway
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { caller?: string })
    .findLast(({ caller }) => caller !== undefined)?.caller

test('a key is read wherever clients put it', async (t) => {
  const gateway = await openGateway(t)

  await t.test(
    'a key is found in all six places, and an empty one is none (contract 5, rules 3 and 10; 5, Where a credential is read: 1, 2, 3, 4, 5, 6)',
    async () => {
      const adminKey = gateway.app.createdKey!
      const unknownKey = createApiKey('secret', systemRandom)
      for (const [place, put] of Object.entries(PLACES)) {
        assert.equal((await askWith(gateway, put(adminKey))).status, 200, place)
        assert.equal(lastCaller(gateway), 'account', place)
        for (const empty of ['', ' ']) {
          assert.equal((await askWith(gateway, put(empty))).status, 200, place)
          assert.equal(lastCaller(gateway), 'anonymous', place)
        }
        for (const bad of ['wrong', unknownKey, `${adminKey}x`, createApiKey('public', systemRandom)]) {
          assertRefusal(await askWith(gateway, put(bad)), 401, 'Invalid API Key.', 'invalid_key')
        }
      }
      for (const body of [{ key: null }, { key: 5 }, { key: {} }]) {
        assert.equal((await gateway.call('block_count', body)).status, 200, JSON.stringify(body))
      }
    },
  )

  await t.test(
    '401 for two different keys in one request, and the same key twice is one (contract 5, rule 11)',
    async () => {
      const adminKey = gateway.app.createdKey!
      const places = Object.entries(PLACES)
      for (const [one, putOne] of places) {
        for (const [other, putOther] of places) {
          // Both stand in the same header.
          if (one === other || (one.startsWith('Authorization') && other.startsWith('Authorization'))) continue
          const both = await askWith(gateway, putOne(adminKey), putOther('another'))
          assertRefusal(both, 401, 'Two different API keys were given.', 'conflicting_credentials')
          assert.equal((await askWith(gateway, putOne(adminKey), putOther(adminKey))).status, 200)
          assert.equal((await askWith(gateway, putOne(adminKey), putOther(''))).status, 200)
        }
      }
      const twice = await ask(`${gateway.url}/?key=${adminKey}&key=another`, { body: BLOCK_COUNT })
      assertRefusal(twice, 401, 'Two different API keys were given.', 'conflicting_credentials')
    },
  )

  await t.test('the parameter `key` of account_get is no credential', async () => {
    const key = DEV_NETWORK.genesisAccount
    assert.deepEqual((await gateway.call('account_get', { key })).json(), { account: GENESIS })
    const authorization = `Bearer ${gateway.app.createdKey}`
    assert.deepEqual((await gateway.call('account_get', { key }, { authorization })).json(), { account: GENESIS })
    assert.equal(lastCaller(gateway), 'account')
    assertRefusal(await gateway.call('account_get', { key }, { authorization: 'wrong' }), 401, /./, 'invalid_key')
    assertRefusal(await gateway.call('account_get', { key: 'xyz' }), 400, 'Bad public key', 'invalid_key_format')
  })

  await t.test(
    '401 for a key that is wrong, unknown or revoked, in the words of the contract (contract 5, rule 16; 7, Texts and codes: bad key; 7, Status codes: 401)',
    async () => {
      const adminKey = gateway.app.createdKey!
      const made = await ask(`${gateway.url}/api/keys`, {
        headers: { authorization: `Bearer ${adminKey}` },
        body: JSON.stringify({ name: 'Short-lived' }),
      })
      const { id, key } = made.json()
      assert.equal((await gateway.call('rpc_credits', { key })).status, 200)
      const revoked = await ask(`${gateway.url}/api/keys/${id}`, { method: 'DELETE', headers: { key: adminKey } })
      assert.deepEqual(revoked.json<unknown>(), { success: true, id })
      const body = { error: 'Invalid API Key.', message: 'Invalid API Key.', code: 'invalid_key' }
      for (const wrong of [key!, `${adminKey.slice(0, -1)}!`, createApiKey('secret', systemRandom), 'a.b.c']) {
        for (const action of ['version', 'rpc_credits', 'work_generate', 'checkout']) {
          const reply = await gateway.call(action, {}, { authorization: `Bearer ${wrong}` })
          assert.deepEqual([reply.status, reply.json<unknown>()], [401, body], action)
        }
        const rest = await ask(`${gateway.url}/api/account`, { method: 'GET', headers: { 'x-api-key': wrong } })
        assert.deepEqual([rest.status, rest.json<unknown>()], [401, body])
      }
      assertRefusal(await gateway.call('rpc_credits'), 401, 'API key required for rpc_credits.', 'key_required')
      const rest = await ask(`${gateway.url}/api/account`, { method: 'GET' })
      assertRefusal(rest, 401, 'API key required, or a session.', 'key_required')
    },
  )

  await t.test(
    'a checkout reads its public key from `public_key`, other actions do not (contract 5, Where a credential is read: for checkout also)',
    async () => {
      const origin = 'https://shop.example'
      const made = await ask(`${gateway.url}/api/keys`, {
        headers: { authorization: `Bearer ${gateway.app.createdKey}` },
        body: JSON.stringify({ name: 'Page', kind: 'public', origins: [origin] }),
      })
      const public_key = made.json().key!
      const checkout = (fields: object, headers: Record<string, string> = { origin }) =>
        gateway.call('checkout', { address: GENESIS, amount: '1', ...fields }, headers)
      const { id } = (await checkout({ public_key })).json()
      const mine = await ask(`${gateway.url}/api/checkouts/${id}`, {
        method: 'GET',
        headers: { key: gateway.app.createdKey! },
      })
      assert.equal(mine.status, 200, 'it belongs to the account of the key')
      assert.equal((await checkout({ public_key: '' })).status, 200)
      assertRefusal(await checkout({ public_key: 'rpc_pk_wrong' }), 401, 'Invalid API Key.', 'invalid_key')
      const both = await checkout({ public_key }, { origin, key: gateway.app.createdKey! })
      assertRefusal(both, 401, 'Two different API keys were given.', 'conflicting_credentials')
      assert.equal((await gateway.call('block_count', { public_key: 'rpc_pk_wrong' })).status, 200)
    },
  )

  await t.test(
    'the REST interface reads a key or a token in the same six places (contract 5, rules 7 and 10; 5, Where a credential is read: 1, 2, 3, 4, 5, 6)',
    async () => {
      const key = gateway.app.createdKey!
      const list = (one: Ask & { query?: string }) =>
        ask(`${gateway.url}/api/keys${one.query ?? ''}`, { method: 'GET', ...one })
      for (const [place, put] of Object.entries(PLACES)) {
        if (place === 'body key') continue
        assert.equal((await list(put(key))).status, 200, place)
        assertRefusal(await list(put('')), 401, /API key required/, 'key_required')
        assertRefusal(await list(put('wrong')), 401, 'Invalid API Key.', 'invalid_key')
      }
      const make = (fields: object, headers = {}) =>
        ask(`${gateway.url}/api/keys`, { headers, body: JSON.stringify({ name: 'From a backend', ...fields }) })
      assert.equal((await make({ key })).status, 201)
      assertRefusal(await make({ key: 'wrong' }), 401, 'Invalid API Key.', 'invalid_key')
      assertRefusal(await make({ key: '' }), 401, /API key required/, 'key_required')
      const two = await make({ key }, { authorization: 'Bearer another' })
      assertRefusal(two, 401, 'Two different API keys were given.', 'conflicting_credentials')
      assert.equal((await make({ key }, { authorization: `Bearer ${key}` })).status, 201)
    },
  )
})
