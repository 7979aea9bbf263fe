import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SCOPES, type Scope } from '../../src/kernel/rights.ts'
import { issueKey } from '../../src/modules/accounts/index.ts'
import { OFFERED } from '../../src/offered.ts'
import { TestClock } from '../support/clock.ts'
import { type Reply, ask, bearer, openGateway } from '../support/gateway.ts'
import { IS_PERSONAL, NEEDS_ALL, scopeOf } from '../hostile/expectations.ts'
import { assertRefusal } from './refusal.ts'

/* Contract 5: scopes, expiry and limits of a key. */

const ACCOUNT = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'
const without = (scope: Scope) => SCOPES.filter((one) => one !== scope)

interface Made {
  id: string
  key: string
  scopes: string[]
  expires_unix: number | null
  per_minute: number | null
  spend_daily_nano: string | null
}

async function openHouse(t: TestContext, env: Record<string, string> = {}) {
  const clock = new TestClock()
  const gateway = await openGateway(t, { LIMIT_FREE_PER_MINUTE: '0', ...env }, clock)
  const { accountId, key } = await gateway.join({ role: 'admin' })
  const { ctx } = gateway
  const named = { kind: 'secret', name: 'test', actor: OPERATOR } as const
  const issue = async (scopes: readonly Scope[], owner = accountId) =>
    (await issueKey(ctx, { ...named, accountId: owner, wanted: { scopes } })).text
  const make = async (key: string, body: object): Promise<Made> => {
    const reply = await gateway.rest('POST', '/api/keys', key, { name: 'made', ...body })
    assert.equal(reply.status, 201, reply.text)
    return reply.json<Made>()
  }
  const signIn = (key: string) =>
    ask(`${gateway.url}/dashboard/sign-in/key`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ key }).toString(),
    })
  return { ...gateway, clock, key, accountId, issue, make, signIn }
}

function assertMissing(reply: Reply, scope: Scope, about: string): void {
  const { code, scope: missing } = reply.json()
  assert.deepEqual([reply.status, code, missing], [403, 'missing_scope', scope], `${about}: ${reply.text}`)
}

// A key that displays prices in a shop window must not move money.
test('a key without the scope of an action is refused at every endpoint that leads to it, and one with it is not (contract 5, rule 21)', async (t) => {
  const house = await openHouse(t)
  const keys = new Map<Scope, { less: string; only: string }>()
  for (const scope of SCOPES) {
    keys.set(scope, { less: await house.issue(without(scope)), only: await house.issue([scope]) })
  }
  const post = (path: string, body: object, key: string) => house.rest('POST', path, key, body)
  for (const { name, synonyms = [], ofNode, ownSynonyms = [], scope, scopeWhen, example } of OFFERED.flatMap(
    ({ actions }) => actions,
  )) {
    const needed = scopeWhen?.(example.request) ?? scope
    const { less, only } = keys.get(needed)!
    for (const called of [name, ...synonyms]) {
      assertMissing(await post('/', { action: called, ...example.request }, less), needed, called)
      assertMissing(await post(`/actions/${called}`, example.request, less), needed, `/actions/${called}`)
      if (ofNode && !ownSynonyms.includes(called)) {
        assertMissing(await post('/node', { action: called, ...example.request }, less), needed, `/node ${called}`)
      }
    }
    assert.notEqual((await post('/', { action: name, ...example.request }, only)).json().code, 'missing_scope', name)
  }
})

test('a route under /api names the scope that a key lacks, and the path of administrators is no way around it (contract 5, rule 21)', async (t) => {
  const house = await openHouse(t)
  const routes = OFFERED.flatMap(({ described = [] }) => described).filter(
    ({ who, path }) => who !== 'anybody' && !IS_PERSONAL.test(path),
  )
  assert.ok(routes.length > 20)
  for (const { method, path, who } of routes) {
    // An account may have at most a hundred keys.
    const { accountId } = who === 'administrator' ? house : await house.join()
    const needed = scopeOf(path) ?? assert.fail(path)
    const at = async (scopes: readonly Scope[]) =>
      house.rest(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x1'), await house.issue(scopes, accountId))
    assertMissing(await at(without(needed)), needed, `${method} ${path}`)
    // The requests have no effect: their objects do not exist, or their fields are missing.
    const enough = await at(NEEDS_ALL.test(path) ? SCOPES : [needed])
    assert.ok(!enough.text.includes('missing_scope'), `${method} ${path} with ${needed}`)
  }
})

test('an administrator sees what is others’ with a key that may make keys, and reads the mails, which could sign in anybody, with no limited one (contract 5, rules 21 and 24)', async (t) => {
  const house = await openHouse(t)
  const seller = await house.issue(['checkout', 'reports'])
  const at = (path: string) => house.rest('GET', path, seller)
  for (const path of ['/api/admin/checkouts', '/api/admin/checkouts/export.csv', '/api/checkouts/overview']) {
    assertMissing(await at(path), 'keys', path)
  }
  for (const path of ['/api/checkouts', '/api/checkouts/export.csv']) assert.equal((await at(path)).status, 200, path)
  assertMissing(await house.rest('GET', '/api/mails', await house.issue(['keys'])), 'read', 'mails')
  const { key } = await house.make(house.key, { spend_daily_nano: '0' })
  assertMissing(await house.rest('GET', '/api/mails', key), 'keys', 'mails with a limit')
  assert.equal((await house.rest('GET', '/api/mails', house.key)).status, 200)
})

test('a leaked key that was replaced gives itself no other, however it asks (contract 5, rules 13 and 24)', async (t) => {
  const house = await openHouse(t)
  const { id, key } = await house.make(house.key, {})
  const rotate = (by: string, overlap_hours: number) =>
    house.rest('POST', `/api/keys/${id}/rotate`, by, { overlap_hours })
  assert.equal((await rotate(house.key, 24)).status, 201)
  for (const hours of [0, 23, 24, 48]) assert.equal((await rotate(key, hours)).status, 409, String(hours))
  house.clock.advance(24 * 3_600_000)
  assert.equal((await house.rest('GET', '/api/keys', key)).status, 401)
})

test('many requests in one, requests in another form, and answers that are remembered for everybody are held to the scopes of their key, one by one (contract 5, rule 21)', async (t) => {
  const house = await openHouse(t)
  const send = { account: ACCOUNT, send: ACCOUNT, amount: '1' }
  const body = [
    { action: 'version' },
    { action: 'cloud_wallet', ...send },
    { jsonrpc: '2.0', id: 1, method: 'cloud_wallet', params: send },
    { jsonrpc: '2.0', id: 2, method: 'version' },
  ]
  const reply = await house.post(JSON.stringify(body), { key: await house.issue(['read']) })
  const [read, refused, refusedRpc, readRpc] = reply.json<Record<string, unknown>[]>()
  assert.ok('node_vendor' in read! && 'result' in readRpc!)
  assert.deepEqual([refused!.status, refused!.code, refused!.scope], [403, 'missing_scope', 'wallets:send'])
  const { code: number, data } = refusedRpc!.error as { code: number; data: Record<string, unknown> }
  assert.deepEqual([number, data.code, data.scope], [-32003, 'missing_scope', 'wallets:send'])

  const blind = await house.issue(without('read'))
  const look = (headers: Record<string, string>) => house.call('account_balance', { account: ACCOUNT }, headers)
  let hit: Reply | undefined
  for (let times = 0; times < 4; times++) hit = await look({ key: house.key })
  assert.equal(hit!.headers['x-cache'], 'hit')
  assertMissing(await look({ key: blind }), 'read', 'by header')
  assertMissing(await look(bearer(blind)), 'read', 'by bearer')
  assert.equal((await look({})).status, 200)
})

test('each operation of cloud_wallet has a scope of its own, whichever way it is written (contract 5, rule 21)', async (t) => {
  const house = await openHouse(t)
  const reads = await house.issue(['wallets:read'])
  const sends = await house.issue(['wallets:send'])
  const call = (key: string, fields: object) => house.call('cloud_wallet', { key, ...fields })
  const account = (await call(sends, {})).json<{ address: string }>().address
  for (const fields of [
    {},
    { wallet_action: 'create' },
    { account, send: ACCOUNT, amount: '1' },
    { account, to: ACCOUNT, amount: '1' },
    { account, destination: ACCOUNT, amount: 'all' },
    { wallet_action: 'SEND ', account, address: ACCOUNT, amount: '1' },
    { account, receive: 'all' },
    { account, delete: true },
    { account, expire: 'true' },
    { account, expiration: true },
    { account, update_metadata: true, metadata: {} },
  ]) {
    assertMissing(await call(reads, fields), 'wallets:send', JSON.stringify(fields))
  }
  for (const fields of [{ list: true }, { account }, { account, balance: true }, { account, info: true }]) {
    assertMissing(await call(sends, fields), 'wallets:read', JSON.stringify(fields))
    assert.equal((await call(reads, fields)).status, 200, JSON.stringify(fields))
  }
})

test('a key ends by the clock, also where it was just used, and its session with it; a restriction that is misspelt makes no key without it, and is named (contract 5, rule 22)', async (t) => {
  const house = await openHouse(t)
  for (const [field, value] of Object.entries({ scope: ['read'], spend_daily: '5', expires: 1, perMinute: 5 })) {
    const reply = await house.rest('POST', '/api/keys', house.key, { name: 'x', [field]: value })
    assert.deepEqual([reply.status, reply.json().field], [400, field])
  }
  const expires = Math.floor(house.clock.now() / 1000) + 10
  const made = await house.make(house.key, { expires_unix: expires })
  assert.equal(made.expires_unix, expires)
  const read = () => house.call('version', { key: made.key })
  assert.equal((await read()).status, 200)
  house.clock.advance(expires * 1000 - house.clock.now() - 1)
  assert.equal((await read()).status, 200)
  house.clock.advance(1)
  assertRefusal(await read(), 401, 'Invalid API Key.', 'invalid_key')
  assertRefusal(await house.rest('GET', '/api/account', made.key), 401, 'Invalid API Key.', 'invalid_key')
})

test('a key has a limit a minute of its own, beside that of its account, and all keys that it makes share it (contract 5, rule 23)', async (t) => {
  const house = await openHouse(t)
  const slow = await house.make(house.key, { per_minute: 3 })
  const child = await house.make(slow.key, { per_minute: 2 })
  assert.deepEqual([slow.per_minute, child.per_minute], [3, 2])
  const read = (key: string) => house.call('version', { key })
  // Making the child key was the first request.
  const first = await read(child.key)
  assert.deepEqual([first.status, first.headers['ratelimit-limit']], [200, '2'])
  assert.equal((await read(slow.key)).status, 200)
  const over = await read(slow.key)
  assertRefusal(over, 429, 'Too many requests.', 'too_many_requests')
  assert.equal(over.headers['ratelimit-limit'], '3')
  assert.equal((await read(child.key)).status, 429)
  assert.equal((await house.rest('GET', '/api/account', slow.key)).status, 429)
  assert.equal((await read(house.key)).status, 200)
  house.clock.advance(60_000)
  assert.equal((await read(slow.key)).status, 200)
})

test('a key that may make keys makes none that may more than itself, nor learns one by rotating it (contract 5, rule 24)', async (t) => {
  const house = await openHouse(t)
  const expires = Math.floor(house.clock.now() / 1000) + 3_600
  const maker = await house.make(house.key, {
    scopes: ['read', 'keys', 'wallets:send'],
    expires_unix: expires,
    per_minute: 100,
    spend_daily_nano: '50e-1',
  })
  const tryMaking = (body: object) => house.rest('POST', '/api/keys', maker.key, { name: 'more', ...body })
  assertMissing(await tryMaking({ scopes: ['read', 'email'] }), 'email', 'scopes')
  assertMissing(await tryMaking({ kind: 'public', origins: ['https://shop.example'] }), 'checkout', 'public')
  for (const [field, value] of [
    ['expires_unix', expires + 1],
    ['per_minute', 101],
    ['spend_daily_nano', '5.000000000000000000000000000001'],
  ] as const) {
    const reply = await tryMaking({ [field]: value })
    assertRefusal(reply, 403, /a key with more rights than its own/, 'limit_reached')
    assert.equal(reply.json().field, field)
  }
  const shown = (made: Made) => [made.scopes, made.expires_unix, made.per_minute, made.spend_daily_nano]
  const like = await house.make(maker.key, {})
  assert.deepEqual(shown(like), [['read', 'wallets:send', 'keys'], expires, 100, '5'])
  const less = await house.make(like.key, { scopes: ['read'], per_minute: 7, spend_daily_nano: 0 })
  assert.deepEqual(shown(less), [['read'], expires, 7, '0'])

  const rotate = (id: string) => house.rest('POST', `/api/keys/${id}/rotate`, maker.key)
  const { keys } = (await house.rest('GET', '/api/keys', maker.key)).json<{ keys: Made[] }>()
  const whole = keys.find(({ scopes, id }) => scopes.length === SCOPES.length && id !== maker.id)!
  assert.equal((await rotate(whole.id)).status, 403)
  const sibling = await house.make(house.key, { scopes: ['read'], expires_unix: expires, spend_daily_nano: '1' })
  const refused = await rotate(sibling.id)
  assert.deepEqual([refused.status, refused.json().code, refused.json().field], [403, 'limit_reached', 'limits'])
  // A rotated key and a key that it made have the same rights as before, and do not live longer.
  for (const old of [less, maker]) {
    const reply = await rotate(old.id)
    assert.equal(reply.status, 201, reply.text)
    assert.deepEqual(shown(reply.json<Made>()), shown(old))
  }
  assertRefusal(await rotate(maker.id), 409, /already been replaced/, 'conflict')
})

test('a key that may not do everything opens no dashboard, and a session that was opened with a limited one makes no key beyond it and is counted as the key is (contract 5, rules 24 and 25)', async (t) => {
  const house = await openHouse(t)
  const refused = await house.signIn(await house.issue(without('keys')))
  assert.equal(refused.status, 403)
  assert.match(refused.text, /This key has no scope keys\./)
  assert.equal(refused.headers['set-cookie'], undefined)
  assert.equal((await house.signIn(await house.issue(SCOPES))).status, 303)

  const { key } = await house.make(house.key, { per_minute: 5, spend_daily_nano: '2' })
  const opened = await house.signIn(key)
  const token = /nano-gateway=([^;]+)/.exec(String(opened.headers['set-cookie']))![1]!
  const make = (body: object) => house.rest('POST', '/api/keys', token, { name: 'more', ...body })
  assertRefusal(await make({ spend_daily_nano: '3' }), 403, /more rights than its own/, 'limit_reached')
  const { spend_daily_nano: spend, per_minute: rate } = (await make({})).json<Made>()
  assert.deepEqual([spend, rate], ['2', 5])
  const { keys } = (await house.rest('GET', '/api/keys', house.key)).json<{ keys: Made[] }>()
  const whole = keys.find(({ spend_daily_nano: limit, scopes }) => limit === null && scopes.length === SCOPES.length)!
  const rotated = await house.rest('POST', `/api/keys/${whole.id}/rotate`, token)
  assertRefusal(rotated, 403, /more rights than its own/, 'limit_reached')
  await make({})
  await make({})
  assert.equal((await make({})).status, 429)
})
