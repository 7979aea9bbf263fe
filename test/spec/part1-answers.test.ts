import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Signer } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { type Ask, type Reply, ask, openGateway, readMetrics } from '../support/gateway.ts'
import { openRecordingNode } from '../support/recording-node.ts'
import { assertRefusal } from './refusal.ts'
import { row } from './row.ts'

/* Contract 1: rules for all answers. */

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)
const BLOCK_COUNT = '{"action":"block_count"}'

const EXPOSED =
  'PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, Idempotent-Replayed, X-Ignored-Fields'
const ALLOWED =
  'content-type, authorization, key, x-api-key, nano-app, nano-app-admin, payment-signature, idempotency-key, cache-control, pragma, access-control-expose-headers, mcp-protocol-version, mcp-session-id'

/** Requests not in the list: two for health and a preflight, which are not logged at this level; and two that could not be parsed. */
const UNTOLD = 5

test('every answer opens itself to other origins, no two have the same id, and none of the RPC may be kept on the way (contract 1, rules 10, 11 and 12; 7, Status codes: 405; 7, Texts and codes: more requests at once than the service works on)', async (t) => {
  const gateway = await openGateway(t)
  // A node that fails, one that delays its answer, and one that never answers.
  const broken = await openGateway(t, { NODE_URLS: (await openRecordingNode(t, () => 500)).url })
  let release = () => undefined as void
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const slowNode = await openRecordingNode(t, () => gate.then(() => ({ error: 'Account not found' })))
  const slow = await openGateway(t, { NODE_URLS: slowNode.url, CONCURRENCY_MAX: '1' }, new TestClock())
  const held = slow.call('account_info', { account: GENESIS })
  await slowNode.arrived('account_info')
  const clock = new TestClock()
  const silentNode = await openRecordingNode(t, () => new Promise(() => undefined))
  const silent = await openGateway(t, { NODE_URLS: silentNode.url }, clock)
  const neverAnswered = silent.call('account_info', { account: GENESIS })
  await silentNode.arrived('account_info')
  clock.advance(10_000)

  const get = (path: string, headers: Ask['headers'] = {}) => ask(`${gateway.url}${path}`, { method: 'GET', headers })
  const unopened = await gateway.call('account_info', { account: new Signer(1).address })
  assert.deepEqual(unopened.json(), { error: 'Account not found' })
  const read = [await gateway.post(BLOCK_COUNT), await gateway.post(BLOCK_COUNT), unopened]
  for (const { headers } of read) assert.equal(headers['cache-control'], 'no-store')
  const replies: [number, Reply][] = [
    ...read.map((reply): [number, Reply] => [200, reply]),
    [400, await gateway.post('nonsense')],
    [400, await gateway.call('stop')],
    [400, await get('/%')],
    [401, await gateway.call('block_count', { key: 'wrong' })],
    [403, await gateway.call('process', { block: {}, force: true })],
    [404, await get('/nowhere')],
    [405, await ask(gateway.url, { method: 'PUT', body: BLOCK_COUNT })],
    [413, await gateway.post(`"${'x'.repeat(1024 * 1024)}"`)],
    [431, await gateway.post(BLOCK_COUNT, { 'x-long': 'x'.repeat(20_000) })],
    [502, await broken.call('account_info', { account: GENESIS })],
    [503, await broken.call('work_generate', { hash: 'A'.repeat(64) })],
    [503, await slow.call('version')],
    [504, await neverAnswered],
    [200, await get('/')],
    [200, await get('/', { accept: 'text/html' })],
    [303, await get('/dashboard')],
    [200, await get('/dashboard/sign-in')],
    [200, await get('/health/live')],
    [200, await get('/health/ready')],
    [200, await get('/openapi.json')],
    [200, await ask(gateway.url, { method: 'HEAD' })],
    [204, await ask(gateway.url, { method: 'OPTIONS' })],
  ]
  release()
  replies.push([200, await held])
  const ids = new Set<string>()
  for (const [status, { headers, ...reply }] of replies) {
    assert.equal(reply.status, status, reply.text)
    assert.equal(headers['access-control-allow-origin'], '*', reply.text)
    row('1, Headers across origins: exposed to scripts', () =>
      assert.equal(headers['access-control-expose-headers'], EXPOSED),
    )
    assert.ok(typeof headers['x-request-id'] === 'string' && headers['x-request-id'].length > 0)
    ids.add(headers['x-request-id'])
    if (status >= 400) {
      assert.equal(headers['cache-control'], 'no-store')
      assert.match(headers['content-type']!, /^application\/json/)
      const { error, message, code } = reply.json()
      assert.ok(typeof error === 'string' && error === message && /^[a-z_]+$/.test(code!), reply.text)
    }
    if (status === 405) assert.equal(reply.json().code, 'method_not_allowed')
    if (status === 503) assert.equal(headers['retry-after'], String(reply.json<{ retry_after: number }>().retry_after))
  }
  assert.equal(ids.size, replies.length)
  const [, busy] = replies.find(([status, { text }]) => status === 503 && text.includes('overloaded'))!
  assertRefusal(busy, 503, 'Too many requests at once. Try again in a moment.', 'overloaded')
  const limits = ['limit', 'remaining', 'reset'].map((name) => busy.headers[`ratelimit-${name}`])
  row('8, rule 2', () => assert.deepEqual(limits, ['1', '0', '1']))
  // Every log line about a request has its id, and one of them says how it ended.
  const logged = [gateway, broken, slow, silent]
    .flatMap(({ log }) => log().trim().split('\n'))
    .map((line) => JSON.parse(line) as { requestId?: string; status?: number })
    .filter(({ requestId }) => requestId !== undefined)
  const asked = replies.filter(([, { headers }]) =>
    logged.some(({ requestId }) => requestId === headers['x-request-id']),
  )
  assert.equal(asked.length, replies.length - UNTOLD)
  for (const [status, { headers }] of asked) {
    const lines = logged.filter(({ requestId }) => requestId === headers['x-request-id'])
    const statuses = lines.flatMap((line) => line.status ?? [])
    assert.deepEqual(statuses, [status])
  }
})

test('a preflight allows what clients send, on every path, without touching anything', async (t) => {
  const gateway = await openGateway(t, { CONCURRENCY_MAX: '1' })
  for (const path of ['/', '/nowhere', '/openapi.json']) {
    const { status, headers, text } = await ask(`${gateway.url}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'nano-app, authorization, content-type',
      },
    })
    assert.deepEqual([status, text], [204, ''])
    assert.equal(headers['access-control-allow-origin'], '*')
    row('1, Headers across origins: allowed in a preflight', () =>
      assert.equal(headers['access-control-allow-headers'], ALLOWED),
    )
    assert.match(headers['access-control-allow-methods']!, /POST/)
    assert.ok(Number(headers['access-control-max-age']) > 0)
  }
  assert.doesNotMatch(await readMetrics(gateway), /^gateway_requests_total\{/m)
})

test('other origins can read answers to a key, but not to a session cookie (contract 1, rule 10; 5, rule 18)', async (t) => {
  const { url, app } = await openGateway(t)
  const key = app.createdKey!
  // The dashboard signs in with a secret key and keeps the session in a cookie.
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: url }
  const entered = await ask(`${url}/dashboard/sign-in/key`, { headers, body: `key=${encodeURIComponent(key)}` })
  const cookie = String(entered.headers['set-cookie']).split(';')[0]!
  assert.match(cookie, /^nano-gateway=./)
  const origin = 'https://other.example'
  const open = async (path: string, headers: Record<string, string>) => {
    const reply = await ask(`${url}${path}`, { method: 'GET', headers: { origin, ...headers } })
    return [reply.status, reply.headers['access-control-allow-origin']]
  }
  for (const path of ['/api/account', '/api/keys', '/api/checkouts', '/api/events']) {
    assert.deepEqual(await open(path, { cookie }), [200, undefined], path)
    assert.deepEqual(await open(path, { authorization: `Bearer ${key}` }), [200, '*'], path)
    assert.deepEqual(await open(path, {}), [401, '*'], path)
  }
  assert.deepEqual(await open('/api/account', { cookie: 'nano-gateway=wrong' }), [401, undefined])
  // A page of another site can make a browser send the cookie; the request must be refused.
  const change = (headers: Record<string, string>) =>
    ask(`${url}/api/keys`, { headers: { cookie, ...headers }, body: JSON.stringify({ name: 'Mine' }) })
  for (const headers of [{}, { origin }, { origin: 'null' }, { origin: url, 'sec-fetch-site': 'cross-site' }]) {
    assertRefusal(await change(headers), 403, /from our own pages/, 'origin_not_allowed')
  }
  assert.equal((await change({ origin: url })).status, 201)
  const preflight = await ask(`${url}/api/keys`, { method: 'OPTIONS', headers: { origin } })
  assert.equal(preflight.headers['access-control-allow-credentials'], undefined)
})
