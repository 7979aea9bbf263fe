import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../support/clock.ts'
import { type Reply, ask, bearer, openGateway } from '../support/gateway.ts'
import { newHash } from '../support/random.ts'
import { openPayer, openShop, paymentBlock, requiredOf, responseOf, signed } from '../support/x402-steps.ts'
import { assertRefusal } from './refusal.ts'
import { row } from './row.ts'
import { alice } from './ledger-world.ts'

/* Contract 1, An action by its path: `POST /actions/<name>` equals `POST /` with the action in the body. */

type Headers = Record<string, string>

const by = (url: string, name: string, body: object | string = {}, headers: Headers = {}) =>
  ask(`${url}/actions/${name}`, { body: typeof body === 'string' ? body : JSON.stringify(body), headers })

/** The parts that two answers to the same request share; timestamps differ. */
function meaningOf({ status, headers, text }: Reply) {
  const {
    date: _date,
    'x-request-id': _id,
    'server-timing': _timing,
    'ratelimit-remaining': _left,
    'ratelimit-reset': _reset,
    'x-cache': _cache,
    ...lasting
  } = headers
  return { status, text, headers: lasting }
}

test('an action answers by its path word for word what it answers at the one endpoint: reads, refusals of the ledger, wrong fields, keys (contract 1, An action by its path: POST /actions/<name>)', async (t) => {
  const { url, call, app } = await openGateway(t, { DEVNET_TREASURY_NANO: '10' })
  const key = bearer(app.createdKey!)
  const questions: [name: string, fields: object, status: number, headers?: Headers][] = [
    ['account_balance', { account: alice.address }, 200],
    ['version', {}, 200],
    ['pending', { account: alice.address }, 200],
    ['account_info', { account: alice.address }, 200],
    ['account_info', { account: 'nobody' }, 400],
    ['account_info', {}, 400],
    ['nano_to_raw', { amount: '1.5', amuont: '2' }, 200],
    ['account_balance', { account: '@nobody' }, 400],
    ['rpc_credits', {}, 401],
    ['rpc_credits', {}, 401, { authorization: 'Bearer rpc_sk_wrong' }],
    ['rpc_credits', {}, 200, key],
    ['rpc_credits', { key: app.createdKey }, 200],
    ['account_get', { key: '0'.repeat(64) }, 200],
  ]
  for (const [name, fields, status, headers = {}] of questions) {
    const usual = await call(name, fields, headers)
    const byPath = await by(url, name, fields, headers)
    assert.equal(byPath.status, status, `${name}: ${byPath.text}`)
    // The credit count includes the request before.
    if (name === 'rpc_credits' && status === 200)
      assert.deepEqual(Object.keys(byPath.json()), Object.keys(usual.json()))
    else assert.deepEqual(meaningOf(byPath), meaningOf(usual), name)
  }
  const spelt = await by(url, 'nano_to_raw', { amount: '1', amuont: '2' })
  assert.equal(spelt.headers['x-ignored-fields'], 'amuont')
  const slash = await by(url, 'nano_to_raw/', { amount: '1' })
  const keyInUrl = await by(url, `rpc_credits?key=${app.createdKey}`)
  assert.deepEqual([slash.status, keyInUrl.status], [200, 200])
  const unread = await by(url, 'version', '{')
  assert.deepEqual([unread.status, unread.json().code], [400, 'invalid_json'])
  const deep = await by(url, 'version', '['.repeat(30))
  assert.equal(deep.json().error, 'Max JSON depth exceeded')
})

test('every action has its path, under each of its names, asks there for the same key, and describes itself: a page to people, schemas to programs (contract 1, An action by its path: POST /actions/<name>, GET /actions/<name>)', async (t) => {
  const { url, call, app } = await openGateway(t)
  for (const { name, synonyms = [], example } of app.endpoints.actions) {
    // The block is already published by then.
    if (name === 'process') continue
    for (const each of [name, ...synonyms]) {
      const usual = await call(each, example.request)
      const byPath = await by(url, each, example.request)
      assert.equal(byPath.status, usual.status, `${each}: ${byPath.text}`)
      assert.deepEqual(Object.keys(byPath.json()), Object.keys(usual.json()), each)
    }
  }
  // GET describes the action's request and response.
  const read = (name: string, accept: string) => ask(`${url}/actions/${name}`, { method: 'GET', headers: { accept } })
  const page = await read('pending', 'text/html')
  assert.deepEqual([page.status, page.headers.location], [302, '/docs/actions/receivable'])
  const told = await read('nano_to_raw', '*/*')
  const { name, request, answer, example } = told.json<{
    name: string
    request: { required: string[]; properties: Record<string, object> }
    answer: { properties: object }
    example: { request: object }
  }>()
  assert.equal(name, 'nano_to_raw')
  assert.deepEqual([request.required, Object.keys(request.properties)], [['amount'], ['amount']])
  assert.ok('raw' in answer.properties)
  assert.equal((await by(url, name, example.request)).status, 200)
  assert.doesNotMatch(told.text, /"(refusal|reader|form|~\w+)":/)
  assert.equal((await read('stop', '*/*')).status, 404)
})

test('two endpoints share one limit, and guessing names of actions counts too (contract 1, An action by its path: POST /actions/<name>, unknown name)', async (t) => {
  const { url, call } = await openGateway(t, { LIMIT_ANONYMOUS_PER_MINUTE: '3' }, new TestClock())
  assert.equal((await call('nano_to_raw', { amount: '1' })).status, 200)
  const byPath = await by(url, 'nano_to_raw', { amount: '1' })
  assert.equal(byPath.headers['ratelimit-remaining'], '1')
  assert.equal((await by(url, 'stop')).status, 404)
  for (const name of ['nano_to_raw', 'stop']) assert.equal((await by(url, name, { amount: '1' })).status, 429)
})

test('an idempotent request acts once at both endpoints together; a cached answer belongs to its path (contract 1, An action by its path: POST /actions/<name>)', async (t) => {
  const { url, call, post } = await openGateway(t)
  const order = { address: alice.address, amount: '1' }
  const once = { 'idempotency-key': 'order 1' }
  const made = await call('checkout', order, once)
  const again = await by(url, 'checkout', order, once)
  assert.deepEqual([again.status, again.text, again.headers['idempotent-replayed']], [200, made.text, 'true'])
  const other = await by(url, 'checkout', { ...order, amount: '2' }, once)
  assert.deepEqual([other.status, other.json().code], [409, 'idempotency_conflict'])

  const body = JSON.stringify({ account: alice.address })
  for (let at = 0; at < 3; at++) {
    const balance = await by(url, 'account_balance', body)
    const key = await by(url, 'account_key', body)
    assert.deepEqual(Object.keys(key.json()), ['key'])
    assert.equal(balance.json().balance, '0', balance.text)
    if (at > 0) assert.equal(balance.headers['x-cache'], 'hit')
  }
  for (const text of [body, `actions/account_balance ${body}`, ` ${body}`]) {
    assert.equal((await post(text)).status, 400, text)
  }
  // Neither a body nor a path may use an answer cached for the node endpoint.
  const asked = JSON.stringify({ action: 'account_balance', account: alice.address })
  for (let at = 0; at < 3; at++) assert.equal((await ask(`${url}/node`, { body: asked })).status, 200)
  assert.equal((await post(`node ${asked}`)).status, 400)
  assert.equal((await by(url, 'node', asked)).status, 404)
})

test('a paid action has its price by its path, too, and one payment buys one answer at either endpoint (contract 1, An action by its path: POST /actions/<name>)', async (t) => {
  const { url, call, node } = await openShop(t)
  const fields = { hash: newHash() }
  const asked = await by(url, 'work_generate', fields)
  assert.deepEqual(requiredOf(asked), requiredOf(await call('work_generate', fields)))
  const payment = signed(paymentBlock(node, await openPayer(node)))
  const paid = await by(url, 'work_generate', fields, payment)
  row('1, Product areas: 8. Pay per request', () => {
    assert.deepEqual([asked.status, paid.status, responseOf(paid).success], [402, 200, true], paid.text)
    assert.match(paid.json().work!, /^[0-9a-f]{16}$/)
  })
  const again = await call('work_generate', fields, payment)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [paid.text, 'true'])
  const elsewhere = await by(url, 'work_generate', { hash: newHash() }, payment)
  assert.deepEqual([elsewhere.status, elsewhere.json().code], [402, 'duplicate_settlement'])
})

test('a call without fields needs no body; one that means another action than its path is refused; 404 for a name that no action has (contract 1, An action by its path: empty body, body with action, unknown name)', async (t) => {
  const { url, call, post } = await openGateway(t)
  const { status, text } = await by(url, 'block_count', '')
  assert.deepEqual([status, text], [200, (await call('block_count')).text])
  assert.equal((await by(url, 'account_info', '')).json().field, 'account')
  // Only the path names the action.
  assert.equal((await post('')).status, 400)

  const account = alice.address
  for (const same of ['receivable', 'pending', '', null]) {
    assert.equal((await by(url, 'receivable', { action: same, account })).status, 200, String(same))
  }
  for (const other of ['account_info', 'stop', 7, ['receivable']]) {
    const refused = await by(url, 'receivable', { action: other, account })
    assertRefusal(refused, 400, 'The path and the body name different actions.', 'invalid_action')
    assert.equal(refused.json().field, 'action')
  }

  for (const name of ['stop', 'wallet_create', 'toString', 'Version', '%76ersion', '__proto__']) {
    const reply = await by(url, name, '{')
    assert.equal(reply.status, 404, name)
    const { error, code, field } = reply.json()
    assert.deepEqual([error, code, field], ['Bad action provided.', 'not_found', 'action'])
    assert.equal(reply.headers['access-control-allow-origin'], '*')
  }
  for (const path of ['', 'version/more', '/version']) assert.equal((await by(url, path)).status, 404, path)
  for (const method of ['PUT', 'DELETE', 'PATCH']) {
    assert.equal((await ask(`${url}/actions/version`, { method })).status, 404, method)
  }
  assert.equal((await ask(`${url}/actions/version`, { method: 'OPTIONS' })).status, 204)
})
