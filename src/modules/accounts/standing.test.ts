import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createApiKey } from '../../kernel/api-key.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { type MountedRoutes, openRoutes } from '../../../test/support/mounted-routes.ts'
import { testRandom } from '../../../test/support/random.ts'
import { StoredKeys } from './stored-keys.ts'

/* What an operator can set for an account: suspension, sign-out, limits, features and credits. */

interface Known {
  account: Record<string, unknown>
  credits: number
  plan: string
  keys: { id: string }[]
}

const KNOWN_MILLISECONDS = 30_000

async function openOperator(t: TestContext, engine: 'sqlite' | 'postgres') {
  const world = await openRoutes(t, { engine })
  const operator = await world.join('operator@example.com', 'admin')
  const shop = await world.join('shop@example.com')
  const act = (path: string, body?: object, more: Record<string, string> = {}) =>
    world.ask(path === 'standing' ? 'PUT' : 'POST', `/api/accounts/${shop.accountId}/${path}`, {
      headers: { key: operator.key, ...more },
      ...(body && { body }),
    })
  const know = async () =>
    (await world.ask('GET', `/api/accounts/${shop.accountId}`, { headers: { key: operator.key } })).json<Known>()
  return { world, operator, shop, act, know }
}

const tryOut = async ({ ask }: MountedRoutes, headers: Record<string, string>) => {
  const reply = await ask('GET', '/api/account', { headers })
  return [reply.statusCode, reply.json<{ code?: string }>().code]
}

forEachEngine((engine) => {
  test('403 account_suspended for every key and session of a suspended account, at once; resumed, they open again', async (t) => {
    const { world, shop, act, know } = await openOperator(t, engine)
    const { cookie } = await world.signIn('shop@example.com')
    const endpoints = [{ key: shop.key }, { key: await shop.issue('secret') }, { cookie }]
    const elsewhere = new StoredKeys(world.ctx)
    t.after(() => elsewhere.close())
    await elsewhere.find(shop.key)
    for (const access of endpoints) assert.deepEqual(await tryOut(world, access), [200, undefined])
    const suspended = await act('suspend', { reason: 'The invoice of May is open.' })
    assert.deepEqual([suspended.statusCode, suspended.json<Known>().account.status], [200, 'suspended'])
    for (const access of endpoints) assert.deepEqual(await tryOut(world, access), [403, 'account_suspended'])
    const publicKey = await shop.issue('public', ['https://shop.example'])
    assert.equal((await elsewhere.find(publicKey))?.isSuspended, true)
    // An instance that got no notice caches the key for half a minute.
    world.clock.advance(KNOWN_MILLISECONDS)
    assert.equal((await elsewhere.find(shop.key))?.isSuspended, true)
    assert.equal((await act('resume', { reason: 'Paid.' })).statusCode, 200)
    for (const access of endpoints) assert.deepEqual(await tryOut(world, access), [200, undefined])
    assert.equal((await know()).account.status, 'active')
    const rows = await world.store.db.selectFrom('audit_entries').selectAll().execute()
    const told = rows.filter(({ what }) => /suspended|resumed/.test(what))
    assert.deepEqual(told.map(({ what, account_id: account, detail }) => [what, account, detail]).sort(), [
      ['account.resumed', shop.accountId, '{"reason":"Paid."}'],
      ['account.suspended', shop.accountId, '{"reason":"The invoice of May is open."}'],
    ])
  })

  test('400 names the field of a wrong word, 409 twice suspended, 409 an administrator, 404 nobody, 401 and 403 others; nothing changes', async (t) => {
    const { world, operator, shop, act, know } = await openOperator(t, engine)
    const before = await know()
    const wrong: [string, object, string][] = [
      ['suspend', {}, 'reason'],
      ['suspend', { reason: '\u200b' }, 'reason'],
      ['resume', { reason: 'x'.repeat(201) }, 'reason'],
      ['credits', { amount: 0, reason: 'x' }, 'amount'],
      ['credits', { amount: 1.5, reason: 'x' }, 'amount'],
      ['credits', { amount: '5', reason: 'x' }, 'amount'],
      ['credits', { amount: 5 }, 'reason'],
      ['standing', { per_minute: -1 }, 'per_minute'],
      ['standing', { concurrency: 5 }, 'concurrency'],
      ['standing', { per_minute: 5, features: { free_money: true } }, 'features'],
      ['standing', { features: { wallet_sends: 'no' } }, 'features'],
      ['standing', { per_hour: 5 }, 'per_hour'],
    ]
    for (const [path, body, field] of wrong) {
      const reply = await act(path, body)
      assert.deepEqual([reply.statusCode, reply.json<{ field: string }>().field], [400, field], JSON.stringify(body))
    }
    const limited = await world.ask('POST', '/api/keys', {
      headers: { key: operator.key },
      body: { name: 'Bot', per_minute: 10 },
    })
    // An administrator’s key with limits may change no account, and neither may a user’s key.
    for (const key of [limited.json<{ key: string }>().key, shop.key, createApiKey('secret', testRandom)]) {
      const { statusCode } = await act('credits', { amount: 10, reason: 'Mine.' }, { key })
      assert.ok(statusCode === 403 || statusCode === 401)
    }
    assert.deepEqual(await know(), before)
    await act('suspend', { reason: 'One.' })
    assert.equal((await act('suspend', { reason: 'Two.' })).statusCode, 409)
    await act('resume', { reason: 'One.' })
    assert.equal((await act('resume', { reason: 'Two.' })).statusCode, 409)
    const ask = (id: string, path: string) =>
      world.ask('POST', `/api/accounts/${id}/${path}`, {
        headers: { key: operator.key },
        body: path === 'sign-out' ? {} : { reason: 'Why not.' },
      })
    assert.equal((await ask(operator.accountId, 'suspend')).statusCode, 409)
    for (const path of ['suspend', 'resume', 'sign-out']) assert.equal((await ask('acc_none', path)).statusCode, 404)
    assert.deepEqual(await tryOut(world, { key: operator.key }), [200, undefined])
  })

  test('credits are given and taken with a reason, once for each Idempotency-Key, and never below nothing', async (t) => {
    const { act, know, world, shop } = await openOperator(t, engine)
    const give = { amount: 50, reason: 'An outage in May.' }
    const twice = await Promise.all(['one', 'one'].map((key) => act('credits', give, { 'idempotency-key': key })))
    assert.ok(twice.every(({ statusCode }) => statusCode === 200 || statusCode === 409))
    assert.deepEqual([(await know()).credits, (await know()).plan], [50, 'prepaid'])
    assert.equal((await act('credits', { amount: -51, reason: 'Too much.' })).statusCode, 409)
    const taken = await Promise.all(Array.from({ length: 6 }, () => act('credits', { amount: -10, reason: 'Back.' })))
    assert.deepEqual(taken.map(({ statusCode }) => statusCode).sort(), [200, 200, 200, 200, 200, 409])
    assert.equal((await know()).credits, 0)
    const entries = world.store.db.selectFrom('credit_entries').where('account_id', '=', shop.accountId)
    const amounts = (await entries.select('amount').execute()).map(({ amount }) => amount)
    assert.deepEqual([amounts.length, amounts.reduce((sum, amount) => sum + amount)], [6, 0])
  })

  test('limits and features of one account hold at once, stay where they are not named, and go with null', async (t) => {
    const { world, shop, act, know } = await openOperator(t, engine)
    const planOf = async () => (await world.keys.find(shop.key))?.plan
    assert.deepEqual(await planOf(), {})
    await act('standing', { per_minute: 7, concurrency: 0, features: { wallet_sends: false } })
    assert.deepEqual(await planOf(), { perMinute: 7, concurrencyMax: 0 })
    await act('standing', { per_minute: null, features: { generated_wallets: true } })
    assert.deepEqual(await planOf(), { concurrencyMax: 0 })
    const { account } = await know()
    assert.deepEqual(account.features, { generated_wallets: true, wallet_sends: false })
    await act('standing', { concurrency: null, features: { generated_wallets: null, wallet_sends: null } })
    assert.deepEqual((await know()).account.features, { generated_wallets: null, wallet_sends: null })
    assert.deepEqual(await planOf(), {})
  })

  test('signed out by the operator, every session is over and a new one begins; keys stay', async (t) => {
    const { world, shop, act } = await openOperator(t, engine)
    const { cookie } = await world.signIn('shop@example.com')
    assert.deepEqual(await tryOut(world, { cookie }), [200, undefined])
    await act('sign-out')
    assert.deepEqual(await tryOut(world, { cookie }), [401, 'invalid_key'])
    assert.deepEqual(await tryOut(world, { key: shop.key }), [200, undefined])
    world.clock.advance(1)
    const later = await world.sessions.create(shop.accountId)
    assert.deepEqual(await tryOut(world, { authorization: `Bearer ${later}` }), [200, undefined])
  })

  test('accounts are found by id and by any part of their address', async (t) => {
    const { world, operator, shop } = await openOperator(t, engine)
    await world.join('50%_off@example.com')
    const find = async (search: string) => {
      const path = `/api/accounts?search=${encodeURIComponent(search)}`
      const { accounts } = (await world.ask('GET', path, { headers: { key: operator.key } })).json<{
        accounts: { email: string }[]
      }>()
      return accounts.map(({ email }) => email)
    }
    assert.deepEqual(await find('SHOP@'), ['shop@example.com'])
    assert.deepEqual(await find(shop.accountId), ['shop@example.com'])
    assert.deepEqual(await find('%_'), ['50%_off@example.com'])
    assert.deepEqual(await find('nobody'), [])
    assert.equal((await find('')).length, 3)
  })
})
