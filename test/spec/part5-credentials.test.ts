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

const lastCaller = (gateway: Gateway) =>
  (JSON.parse(gateway.log().trim().split('\n').at(-1)!) as { caller?: string }).caller

test('a key is read wherever clients put it', async (t) => {
  const gateway = await openGateway(t)

  await t.test(
    'a key is found in all six places, and an empty one is none (contract 5, rules 3 and 10; 5, Where a credential is read)',
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
})
