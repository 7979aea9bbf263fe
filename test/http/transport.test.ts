import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createApiKey } from '../../src/kernel/api-key.ts'
import { systemRandom } from '../../src/infra/random.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { ledger } from '../../src/modules/ledger/index.ts'
import { work } from '../../src/modules/work/index.ts'
import { Signer, UNOPENED, nano } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { type Ask, type Gateway, type Reply, ask, openGateway } from '../support/gateway.ts'
import { openRecordingNode } from '../support/recording-node.ts'

/* How requests may look and how answers always look, whoever is asked (decisions 1 to 3; clients 2, 5 and 7). */

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)
const BLOCK_COUNT = '{"action":"block_count"}'

const EXPOSED =
  'PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, Idempotent-Replayed'
const ALLOWED =
  'content-type, authorization, key, x-api-key, nano-app, nano-app-admin, payment-signature, idempotency-key, cache-control, pragma, access-control-expose-headers'

/** What every refusal by the gateway looks like: one text under two names, and a code. */
function assertRefusal(reply: Reply, status: number, text: string | RegExp, code: string): void {
  assert.equal(reply.status, status, reply.text)
  const body = reply.json<Record<string, unknown>>()
  assert.ok(typeof body.error === 'string')
  assert.equal(body.message, body.error)
  assert.equal(body.code, code)
  if (typeof text === 'string') assert.equal(body.error, text)
  else assert.match(body.error, text)
}

test('200 whatever the content type says, or without one (contract 1, rules 1 and 2)', async (t) => {
  const gateway = await openGateway(t)
  const types = [
    'application/json',
    'application/json; charset=utf-8',
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'nonsense',
    '; charset=',
    '',
  ]
  for (const type of types) {
    const reply = await gateway.post(BLOCK_COUNT, { 'content-type': type })
    assert.equal(reply.status, 200, type)
    assert.equal(reply.json().count, '3')
  }
  assert.equal((await gateway.post(BLOCK_COUNT)).json().count, '3')
  const chunked = await gateway.post(BLOCK_COUNT, { 'transfer-encoding': 'chunked' })
  assert.equal(chunked.json().count, '3')
})

test('400 with a JSON error for a body that is no JSON object (contract 1, rule 2; 7, Texts of the node; 7, Status codes: 400)', async (t) => {
  const gateway = await openGateway(t)
  const bodies = ['', ' ', '[]', `[${BLOCK_COUNT}]`, '"version"', '1', 'true', 'null', 'action=version', "{'action':1}"]
  for (const body of [...bodies, '{', '{"action":"version"', '{"action":"version",}', `${BLOCK_COUNT}x`]) {
    assertRefusal(await gateway.post(body), 400, 'Unable to parse JSON', 'invalid_json')
  }
  assertRefusal(await ask(gateway.url), 400, 'Unable to parse JSON', 'invalid_json')
  const notUtf8 = await ask(gateway.url, { body: Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d) })
  assertRefusal(notUtf8, 400, /./, notUtf8.json().code!)
})

test('413 with a JSON error for a body over 1 MiB, and 1 MiB is still read (contract 1, rule 8; 8, Requests: body; 7, Status codes: 413)', async (t) => {
  const gateway = await openGateway(t)
  const bodyOf = (bytes: number) => {
    const frame = '{"action":"block_count","padding":""}'
    return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
  }
  const limit = 1024 * 1024
  assert.equal((await gateway.post(bodyOf(limit))).status, 200)
  for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
    const reply = await gateway.post(bodyOf(limit + 1), headers)
    assertRefusal(reply, 413, 'The body is larger than 1048576 bytes.', 'body_too_large')
  }
})

test('400 for JSON deeper than 20, and brackets inside strings do not count (contract 1, rule 8; 8, Requests: depth of the JSON)', async (t) => {
  const gateway = await openGateway(t)
  const nested = (depth: number) => `{"action":"block_count","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  assert.equal((await gateway.post(nested(20))).status, 200)
  assertRefusal(await gateway.post(nested(21)), 400, 'Max JSON depth exceeded', 'invalid_json')
  assertRefusal(await gateway.post('['.repeat(500_000)), 400, 'Max JSON depth exceeded', 'invalid_json')
  const brackets = { account: `${'[{'.repeat(200)}"\\"[` }
  assert.deepEqual((await gateway.call('validate_account_number', brackets)).json(), { valid: '0' })
})

// Published clients send these along (clients 2).
test('200 with fields the action does not know (contract 1, rule 5; 9, rule 5)', async (t) => {
  const gateway = await openGateway(t)
  const unknown = {
    array: true,
    watch_work: 'false',
    use_peers: true,
    password: '',
    currency: false,
    count: null,
    account: '@nobody',
    address: { deep: [1] },
    ['__proto__']: { action: 'stop' },
  }
  assert.equal((await gateway.call('block_count', unknown)).json().count, '3')
})

test('flags are read in all their forms, and any other form is none (contract 1, rule 6)', async (t) => {
  const gateway = await openGateway(t)
  const contentsWith = async (json_block: unknown) => {
    const reply = await gateway.call('block_info', { hash: DEV_NETWORK.genesisHash, json_block })
    return typeof reply.json<{ contents: unknown }>().contents
  }
  for (const flag of [false, 'false', 0, '0']) assert.equal(await contentsWith(flag), 'string', String(flag))
  for (const flag of [true, 'true', 1, '1', undefined, null, 'yes', 'FALSE', [], {}, 2]) {
    assert.equal(await contentsWith(flag), 'object', JSON.stringify(flag))
  }
})

test('counts are read as numbers and as texts, and -1 is everything (contract 1, rule 6; 8, Requests: count of "-1")', async (t) => {
  const gateway = await openGateway(t, { COUNT_MAX: '3' })
  const { key, address } = new Signer(0)
  for (const amount of [1, 2, 3, 4]) await gateway.app.devnet!.node.fund(key, nano(amount))
  const listed = async (count: unknown) => {
    const reply = await gateway.call('receivable', { account: address, count })
    assert.equal(reply.status, 200, reply.text)
    return reply.json<{ blocks: string[] }>().blocks.length
  }
  assert.deepEqual([await listed(2), await listed('2')], [2, 2])
  assert.deepEqual([await listed(0), await listed('0')], [0, 0])
  // No limit is still the server's limit.
  assert.deepEqual([await listed(-1), await listed('-1'), await listed(undefined), await listed(1e15)], [3, 3, 3, 3])
  for (const count of ['x', '', ' ', 1.5, '1.5', -2, '-2', '1e3', '0x10', null, true, [], {}]) {
    const reply = await gateway.call('receivable', { account: address, count })
    assertRefusal(reply, 400, 'Invalid count', 'invalid_count')
    assert.equal(reply.json().field, 'count')
  }
})

test('400 for a list of 1001 entries, and 1000 are answered without losing one (contract 1, rule 8; 8, Requests: entries of accounts, hashes; 8, rule 5)', async (t) => {
  const gateway = await openGateway(t)
  const accounts = Array.from({ length: 1000 }, (_, at) => toAddress(at.toString(16).toUpperCase().padStart(64, '0')))
  const hashes = Array.from({ length: 1000 }, (_, at) => at.toString(16).toUpperCase().padStart(64, 'A'))
  const { balances } = (await gateway.call('accounts_balances', { accounts })).json<{ balances: object }>()
  assert.deepEqual(Object.keys(balances), accounts)
  const found = await gateway.call('blocks_info', { hashes, include_not_found: true })
  assert.deepEqual(found.json(), { blocks: '', blocks_not_found: hashes })

  const lists: [string, object][] = [
    ['accounts_balances', { accounts: [...accounts, GENESIS] }],
    ['accounts_receivable', { accounts: [...accounts, GENESIS] }],
    ['accounts_frontiers', { accounts: [...accounts, GENESIS] }],
    ['accounts_representatives', { accounts: [...accounts, GENESIS] }],
    ['blocks_info', { hashes: [...hashes, hashes[0]] }],
    ['blocks', { hashes: [...hashes, hashes[0]] }],
  ]
  for (const [action, parameters] of lists) {
    const reply = await gateway.call(action, parameters)
    assertRefusal(reply, 400, /takes at most 1000 entries\.$/, 'invalid_list')
    assert.match(reply.json().field!, /^(accounts|hashes)$/)
  }
})

test('every answer opens itself to other origins, and no two have the same id (contract 1, rules 10 and 12)', async (t) => {
  const gateway = await openGateway(t)
  // A node that fails, one that holds its answer back, and one that never answers.
  const broken = await openGateway(t, { NODE_URLS: (await openRecordingNode(t, () => 500)).url })
  let release = () => undefined as void
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const slowNode = await openRecordingNode(t, () => gate.then(() => ({ error: 'Account not found' })))
  const slow = await openGateway(t, { NODE_URLS: slowNode.url, CONCURRENCY_MAX: '1' })
  const held = slow.call('account_info', { account: GENESIS })
  await slowNode.arrived('account_info')
  const clock = new TestClock()
  const silentNode = await openRecordingNode(t, () => new Promise(() => undefined))
  const silent = await openGateway(t, { NODE_URLS: silentNode.url }, clock)
  const neverAnswered = silent.call('account_info', { account: GENESIS })
  await silentNode.arrived('account_info')
  clock.advance(10_000)

  const get = (path: string, headers: Ask['headers'] = {}) => ask(`${gateway.url}${path}`, { method: 'GET', headers })
  const replies: [number, Reply][] = [
    [200, await gateway.post(BLOCK_COUNT)],
    [200, await gateway.call('account_info', { account: new Signer(1).address })],
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
    [200, await get('/dashboard')],
    [200, await get('/health/live')],
    [200, await get('/health/ready')],
    [200, await get('/metrics')],
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
    assert.equal(headers['access-control-expose-headers'], EXPOSED)
    assert.ok(typeof headers['x-request-id'] === 'string' && headers['x-request-id'].length > 0)
    ids.add(headers['x-request-id'])
    if (status >= 400) {
      assert.equal(headers['cache-control'], 'no-store')
      assert.match(headers['content-type']!, /^application\/json/)
      const { error, message, code } = reply.json()
      assert.ok(typeof error === 'string' && error === message && /^[a-z_]+$/.test(code!), reply.text)
    }
    if (status === 503) assert.equal(headers['retry-after'], String(reply.json<{ retry_after: number }>().retry_after))
  }
  assert.equal(ids.size, replies.length)
})

test('a preflight allows what clients send, on every path, without touching anything (contract 1, Headers across origins)', async (t) => {
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
    assert.equal(headers['access-control-allow-headers'], ALLOWED)
    assert.match(headers['access-control-allow-methods']!, /POST/)
    assert.ok(Number(headers['access-control-max-age']) > 0)
  }
  const metrics = await ask(`${gateway.url}/metrics`, { method: 'GET' })
  assert.doesNotMatch(metrics.text, /^gateway_requests_total\{/m)
})

test('no RPC answer may be kept by anybody on the way (contract 1, rule 11)', async (t) => {
  const gateway = await openGateway(t)
  const first = await gateway.post(BLOCK_COUNT)
  const second = await gateway.post(BLOCK_COUNT)
  const refused = await gateway.call('account_info', { account: new Signer(1).address })
  for (const { headers } of [first, second, refused]) assert.equal(headers['cache-control'], 'no-store')
  assert.deepEqual(refused.json(), { error: 'Account not found' })
})

test('400 without an action, unless a block and its subtype say it (contract 1, rule 3; 7, Texts and codes: no action)', async (t) => {
  const gateway = await openGateway(t)
  for (const body of ['{}', '{"action":""}', '{"action":null}', '{"block":{}}', '{"subtype":"send"}']) {
    assertRefusal(await gateway.post(body), 400, 'Action not provided', 'invalid_action')
  }
  const { node } = gateway.app.devnet!
  const signer = new Signer(2, node.ledger.thresholds)
  const hash = await node.fund(signer.key, nano(5))
  const block = toBlockJson(signer.receive(UNOPENED, hash, nano(5)))
  const reply = await gateway.post(JSON.stringify({ subtype: 'open', block }))
  assert.match(reply.json().hash!, /^[0-9A-F]{64}$/)
  const { balance_nano } = (await gateway.call('account_info', { account: signer.address })).json()
  assert.equal(balance_nano, '5')
})

/** Guarded by `enable_control` in the node. */
const CONTROL = `account_create account_move account_remove account_representative_set accounts_create backoff_info
  block_create bootstrap_lazy database_txn_tracker epoch_upgrade keepalive ledger node_id password_change
  populate_backlog receive receive_minimum receive_minimum_set search_pending search_receivable search_pending_all
  search_receivable_all send stop unchecked_clear unopened wallet_add wallet_add_watch wallet_change_seed wallet_create
  wallet_destroy wallet_lock wallet_representative_set wallet_republish wallet_seed wallet_work_get work_generate
  work_cancel work_get work_set work_peer_add work_peers work_peers_clear`.split(/\s+/)

/** Not guarded, and still nobody's business: wallets, private keys, state, floods, scans, diagnostics. */
const UNGUARDED = `account_list password_enter wallet_unlock password_valid wallet_locked wallet_balances
  wallet_balance_total wallet_info wallet_contains wallet_export wallet_frontiers wallet_history wallet_key_valid
  wallet_ledger wallet_pending wallet_receivable wallet_representative sign key_create key_expand deterministic_key
  bootstrap bootstrap_any block_confirm republish stats_clear node_id_delete frontiers unchecked unchecked_keys
  bootstrap_status stats election_statistics debug_bootstrap_priority_info confirmation_active unchecked_get
  pruned_exists confirmation_history history mnano_to_raw devnet_fund devnet_hold`.split(/\s+/)

test('400 for every action that could harm a node, and no node ever hears of it (contract 1, rule 4; 7, Texts and codes: unknown action)', async (t) => {
  const node = await openRecordingNode(t, () => ({ success: '' }))
  const gateway = await openGateway(t, { NODE_URLS: node.url })
  assert.equal(CONTROL.length, 43)
  // These are actions of our own, with their own rules.
  const own = ['work_generate', 'work_cancel']
  const forbidden = [...CONTROL.filter((action) => !own.includes(action)), ...UNGUARDED]
  const shapes = [
    'VERSION',
    ' version',
    'version ',
    'version\u0000',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
  ]
  for (const action of [...forbidden, ...shapes, 1, true, ['version'], { toString: 'version' }]) {
    const parameters = { action, account: GENESIS, hash: 'A'.repeat(64), wallet: 'B'.repeat(64), count: 1, type: 'x' }
    assertRefusal(await gateway.post(JSON.stringify(parameters)), 400, 'Bad action provided.', 'invalid_action')
  }
  // The gateway has questions of its own, such as who votes; none of them is among these.
  const heard = new Set(node.requests.map(({ action }) => action))
  assert.deepEqual(
    forbidden.filter((action) => heard.has(action)),
    [],
  )
})

/** The reads of the contract, under the node's names, and the two writes. */
const FORWARDED = `version block_count account_info account_balance accounts_balances account_history receivable
  accounts_receivable block_info blocks_info process work_generate accounts_frontiers account_representative
  accounts_representatives account_weight account_block_count available_supply active_difficulty block_account blocks
  chain successors confirmation_quorum confirmation_info delegators delegators_count frontier_count representatives
  representatives_online telemetry uptime peers receivable_exists`.split(/\s+/)

test('nodes are asked only for what the contract lists, and get only the fields of the action (contract 1, rule 4; 5, rule 12)', async (t) => {
  const node = await openRecordingNode(t)
  const gateway = await openGateway(t, { NODE_URLS: node.url, CACHE_BYTES_MAX: '0' })
  const actions = [...ledger.actions, ...work.actions]
  const unsafe = { wallet: 'W', password: 'P', seed: 'S', enable_control: true, force: false, include_trend_: '1' }
  for (const { name, example } of actions) await gateway.call(name, { ...example.request, ...unsafe })
  const asked = new Set(node.requests.map(({ action }) => action))
  assert.deepEqual(
    [...asked].filter((action) => !FORWARDED.includes(action)),
    [],
  )
  assert.ok(asked.size > 25)
  for (const request of node.requests) {
    for (const name of Object.keys(unsafe)) assert.ok(!(name in request), `${request.action} ${name}`)
  }
})

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

test('a key is found in all six places, and an empty one is none (contract 5, rules 3 and 10; 5, Where a credential is read)', async (t) => {
  const gateway = await openGateway(t)
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
})

test('401 for two different keys in one request, and the same key twice is one (contract 5, rule 11)', async (t) => {
  const gateway = await openGateway(t)
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
})

test('the parameter `key` of account_get is no credential', async (t) => {
  const gateway = await openGateway(t)
  const key = DEV_NETWORK.genesisAccount
  assert.deepEqual((await gateway.call('account_get', { key })).json(), { account: GENESIS })
  const authorization = `Bearer ${gateway.app.createdKey}`
  assert.deepEqual((await gateway.call('account_get', { key }, { authorization })).json(), { account: GENESIS })
  assert.equal(lastCaller(gateway), 'account')
  assertRefusal(await gateway.call('account_get', { key }, { authorization: 'wrong' }), 401, /./, 'invalid_key')
  assertRefusal(await gateway.call('account_get', { key: 'xyz' }), 400, 'Bad public key', 'invalid_key_format')
})

test('GET / is a page for browsers and a small object for everybody else (contract 1, rule 9)', async (t: TestContext) => {
  const gateway = await openGateway(t, { BASE_URL: 'https://rpc.example/' })
  const plain = await ask(gateway.url, { method: 'GET', headers: { accept: '*/*' } })
  const { service, rpc, docs } = plain.json()
  assert.deepEqual(
    [service, rpc, docs],
    ['nano-gateway', 'POST https://rpc.example', 'https://rpc.example/openapi.json'],
  )
  // Links never follow the request's Host.
  const page = await ask(gateway.url, { method: 'GET', headers: { accept: 'text/html', host: 'evil.example' } })
  assert.match(page.headers['content-type']!, /^text\/html/)
  assert.match(page.text, /https:\/\/rpc\.example/)
  assert.doesNotMatch(page.text, /evil\.example/)
})
