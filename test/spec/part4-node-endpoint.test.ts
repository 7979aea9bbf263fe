import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { Signer, frontierOf, nano } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { type Gateway, ask, openGateway } from '../support/gateway.ts'
import { openRecordingNode } from '../support/recording-node.ts'
import { alice, bob, openLedgerWorld } from './ledger-world.ts'

/* Contract 4.8: the endpoint that behaves like a node. Recorded answers are compared in node-endpoint-recorded.test.ts. */

const at =
  ({ url }: Pick<Gateway, 'url'>) =>
  (body: object | string, headers: Record<string, string> = {}) =>
    ask(`${url}/node`, { body: typeof body === 'string' ? body : JSON.stringify(body), headers })

const OWN = [
  'checkout',
  'cloud_wallet',
  'price',
  'find_block',
  'known',
  'account_frontiers',
  'rpc_credits',
  'key_create',
]

test('what is no action of a node is unknown to it, what is for its operator is disabled, and an answer is that of its endpoint, also when it is remembered (contract 4.8, rules 1 and 2)', async (t) => {
  const gateway = await openLedgerWorld(t)
  const say = at(gateway)
  for (const action of OWN) {
    const reply = await say({ action, account: alice.address, amount: '1' })
    assert.deepEqual([reply.status, reply.json()], [200, { error: 'Unknown command' }], action)
  }
  for (const action of ['stop', 'wallet_create', 'send', 'block_create', 'ledger']) {
    assert.deepEqual((await say({ action })).json(), { error: 'RPC control is disabled' }, action)
  }
  assert.deepEqual((await ask(`${gateway.url}/node`, { method: 'GET' })).json(), { error: 'Can only POST requests' })
  assert.equal((await say({ action: 'version' })).json().rpc_version, '1')
  assert.equal((await ask(`${gateway.url}/node/?client=old`, { body: '{"action":"version"}' })).status, 200)
  const body = JSON.stringify({ action: 'account_balance', account: alice.address })
  for (let again = 0; again < 4; again++) {
    assert.deepEqual(Object.keys((await say(body)).json()), ['balance', 'pending', 'receivable'])
    assert.ok('balance_nano' in (await gateway.post(body)).json())
  }
})

test('a program that compares bytes finds those of a node: halves of characters, repeated hashes, old units, refused bootstraps (contract 4.8, rule 1)', async (t) => {
  const gateway = await openLedgerWorld(t)
  const say = at(gateway)
  const refused = (text: string) => `{\n    "error": "${text}"\n}\n`
  const unreadable = refused('Unable to parse JSON')
  for (const half of ['\\ud83d', '\\ude00', '\\ud83d\\u0041', '\\ude00\\ud83d']) {
    assert.equal((await say(`{"action":"version","id":"${half}"}`)).text, unreadable, half)
  }
  assert.equal((await say('{"action":"validate_account_number","account":"\\ud83d\\ude00"}')).json().valid, '0')
  const noText = Buffer.concat([Buffer.from('{"action":"version","id":"'), Buffer.of(0xff), Buffer.from('"}')])
  assert.equal((await ask(`${gateway.url}/node`, { body: noText })).text, unreadable)
  const first = gateway.app.devnet!.node.ledger.genesis.hash
  const twice = await say({ action: 'blocks_info', hashes: [first, first] })
  assert.equal(twice.text.split(`"${first}": {`).length, 3, twice.text)
  // Keys that look like numbers keep their order.
  const { text } = await say({ action: 'accounts_balances', accounts: ['b', '12', 'a'] })
  assert.match(text, /"b": "Bad account number",\s+"12": "Bad account number",\s+"a": /)
  const units: [action: string, amount: string, answer: string][] = [
    ['mrai_to_raw', '2', '2000000000000000000000000000000'],
    ['krai_to_raw', '2', '2000000000000000000000000000'],
    ['rai_from_raw', '2000000000000000000000000', '2'],
    ['knano_from_raw', '1999999999999999999999999999', '1'],
  ]
  for (const [action, amount, given] of units) {
    assert.equal(
      (await say({ action, amount })).text,
      `{\n    "deprecated": "1",\n    "amount": "${given}"\n}\n`,
      action,
    )
    assert.equal((await gateway.call(action, { amount })).status, 400)
  }
  assert.deepEqual((await say({ action: 'account_count' })).json(), (await say({ action: 'frontier_count' })).json())
  const bootstraps: [request: object, answer: string][] = [
    [{ action: 'bootstrap' }, unreadable],
    [{ action: 'bootstrap', address: '1.2.3.4', port: '7075' }, refused('Invalid IP address')],
    [{ action: 'bootstrap', address: '::ffff:1.2.3.4', port: '70750' }, refused('Invalid port')],
    [{ action: 'bootstrap', address: '::ffff:1.2.3.4', port: '7075' }, refused('Legacy bootstrap is disabled')],
    [{ action: 'bootstrap_any' }, refused('Legacy bootstrap is disabled')],
    [{ action: 'bootstrap_lazy' }, refused('RPC control is disabled')],
  ]
  for (const [request, answer] of bootstraps) assert.equal((await say(request)).text, answer, JSON.stringify(request))
})

test('a node’s answer goes through unchanged, in whatever way it is printed (contract 4.8, rule 1)', async (t) => {
  const node = await openRecordingNode(t, ({ action }) =>
    action === 'available_supply' ? { available: '1' } : { error: 'x' },
  )
  const gateway = await openGateway(t, { NODE_URLS: node.url })
  const say = at(gateway)
  for (let again = 0; again < 3; again++)
    assert.equal((await say({ action: 'available_supply' })).text, '{"available":"1"}')
})

test('keys, limits and prices are those of every endpoint, with their statuses (contract 4.8, rule 3)', async (t) => {
  const gateway = await openLedgerWorld(
    t,
    { LIMIT_ANONYMOUS_PER_MINUTE: '5', X402_ACTIONS: 'work_generate' },
    new TestClock(),
  )
  const say = (body: object | string, headers = {}) => at(gateway)(body, { 'x-forwarded-for': '192.0.2.1', ...headers })
  const wrongKey = await say({ action: 'block_count', key: 'rpc_sk_wrong' })
  assert.deepEqual([wrongKey.status, wrongKey.json().code], [401, 'invalid_key'])
  const priced = await say({ action: 'work_generate', hash: 'A'.repeat(64) })
  assert.equal(priced.status, 402)
  assert.ok(priced.headers['payment-required'])
  const long = await say({ action: 'blocks', hashes: Array.from({ length: 1001 }, () => 'A'.repeat(64)) })
  assert.deepEqual([long.status, long.json().code, long.json().field], [400, 'invalid_list', 'hashes'])
  const { headers } = await say({ action: 'block_count' })
  assert.equal(headers['ratelimit-limit'], '5')
  assert.equal(headers['access-control-allow-origin'], '*')
  // Requests that cannot be parsed count too.
  let last = await say('nonsense')
  assert.deepEqual([last.status, last.json()], [200, { error: 'Unable to parse JSON' }])
  for (let tries = 0; tries < 3 && last.status === 200; tries++) last = await say('nonsense')
  assert.deepEqual([last.status, last.json().code], [429, 'too_many_requests'])
  const keyed = { authorization: `Bearer ${gateway.app.createdKey}` }
  assert.equal((await say({ action: 'block_count' }, keyed)).status, 200)
})

test('a wallet on this machine works at a local gateway without a key, a stranger behind a proxy does not (contract 4.8, rule 3)', async (t) => {
  const settings = {
    LIMIT_ANONYMOUS_PER_MINUTE: '10',
    FREE_WORK_ANONYMOUS_PER_HOUR: '1',
    X402_ACTIONS: 'work_generate',
  }
  const gateway = await openLedgerWorld(t, settings)
  const say = at(gateway)
  const work = { action: 'work_generate', hash: 'AB'.repeat(32) }
  for (let again = 0; again < 3; again++) assert.match((await say(work)).json().work!, /^[0-9a-f]{16}$/)
  assert.equal((await say(work)).headers['ratelimit-limit'], '3000')
  for (const headers of [{ 'x-forwarded-for': '127.0.0.1' }, { via: '1.1 proxy' }, { host: 'wallet.example' }]) {
    const status = (await say(work, headers)).status
    assert.ok(status === 402 || status === 429, `${JSON.stringify(headers)} ${status}`)
  }
  assert.equal((await say({ ...work, key: 'rpc_sk_wrong' })).status, 401)
  assert.notEqual((await gateway.call('work_generate', { hash: work.hash })).status, 200)
  const shared = await openLedgerWorld(t, { ...settings, BASE_URL: 'https://pay.example' })
  assert.equal((await at(shared)(work)).status, 402)
  const foreign = await openGateway(t, { ...settings, NODE_URLS: gateway.app.devnet!.rpcUrl, X402_PAY_TO: bob.address })
  assert.equal((await at(foreign)(work)).status, 402)
})

test('a wallet that reads `frontiers` and leaves work to its node receives and sends (contract 4.8, rules 2 and 3; 4.1, Blocks and work: frontiers; 4.1, Publishing a block: do_work)', async (t) => {
  const gateway = await openLedgerWorld(t)
  const { node } = gateway.app.devnet!
  const { work: _work, ...block } = toBlockJson(
    new Signer(1, node.ledger.thresholds).send(frontierOf(node, alice.key), bob.key, nano(1)),
  )
  for (const ask of [at(gateway), ({ action, ...rest }: { action: string }) => gateway.call(action, rest)]) {
    const { frontiers } = (await ask({ action: 'frontiers', account: alice.address, count: '1' } as never)).json<{
      frontiers: object
    }>()
    assert.deepEqual(frontiers, { [alice.address]: node.ledger.store.findAccount(alice.key)!.head })
    const without = await ask({ action: 'process', json_block: 'true', subtype: 'send', block } as never)
    assert.equal(without.json().error, 'Block is invalid')
  }
  const published = { action: 'process', json_block: 'true', subtype: 'send', block, do_work: true }
  assert.match((await at(gateway)(published)).json().hash!, /^[0-9A-F]{64}$/)
  // The gateway computed the missing work, or the node would have refused the block.
  assert.equal((await gateway.call('process', { ...published, subtype: undefined })).json().error, 'Old block')
  // Work is sold here, so it must not be free under another name of the action.
  const sold = await openLedgerWorld(t, { X402_ACTIONS: 'work_generate' })
  const refused = await sold.call('process', published)
  assert.deepEqual([refused.status, refused.json().code], [401, 'key_required'])
})

test('a node knows no names, and lists no more than the server gives (contract 4.8, rules 4 and 5)', async (t) => {
  const gateway = await openLedgerWorld(t, { COUNT_MAX: '2', KNOWN_NAMES: JSON.stringify({ alice: alice.address }) })
  const say = at(gateway)
  const named = await say({ action: 'account_balance', account: '@alice' })
  assert.deepEqual([named.status, named.json()], [200, { error: 'Bad account number' }])
  assert.equal((await gateway.call('account_balance', { account: '@alice' })).status, 200)
  const { node } = gateway.app.devnet!
  for (let gifts = 0; gifts < 4; gifts++) await node.fund(bob.key, nano(1))
  await gateway.confirmed()
  for (const count of [undefined, '-1', '1000000', 3]) {
    const { blocks } = (await say({ action: 'receivable', account: bob.address, count })).json<{ blocks: string[] }>()
    assert.equal(blocks.length, 2, String(count))
  }
  const many = await say({ action: 'receivable', account: bob.address, count: 'many' })
  assert.deepEqual(many.json(), { error: 'Invalid count' })
})

test('a block is published once with an Idempotency-Key, refused in the words of the ledger, and no old spelling of an address is answered from before it (contract 4.8, rules 1 and 3)', async (t) => {
  const gateway = await openLedgerWorld(t)
  const say = at(gateway)
  const { node } = gateway.app.devnet!
  const old = alice.address.replace('nano_', 'xrb_')
  const balance = async () => BigInt((await say({ action: 'account_balance', account: old })).json().balance!)
  const before = await balance()
  assert.equal(await balance(), before)
  const block = new Signer(1, node.ledger.thresholds).send(frontierOf(node, alice.key), bob.key, nano(1))
  const request = { action: 'process', json_block: 'true', subtype: 'send', block: toBlockJson(block) }
  const once = { 'idempotency-key': 'one' }
  const first = await say(request, once)
  assert.equal(first.json().hash, hashBlock(block), first.text)
  const again = await say(request, once)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
  await gateway.confirmed()
  assert.equal(await balance(), before - nano(1))
  assert.deepEqual((await say({ ...request, subtype: undefined })).json(), { error: 'Old block' })
  // As with a node, `async` only acknowledges the start.
  assert.deepEqual((await say({ ...request, subtype: undefined, async: 'true' })).json(), { started: '1' })
  const weak = { ...request.block, work: '0'.repeat(16), previous: hashBlock(block) }
  const error = 'Invalid block balance for given subtype'
  assert.deepEqual((await say({ ...request, block: weak })).json(), { error })
})

test('an anonymous caller’s nonsense took a node out of service; now the node’s error counts as an answer (contract 4.8, rule 6)', async (t) => {
  const complaints = ['Internal server error in RPC', 'Empty response', 'Max JSON depth exceeded']
  let said = 0
  const node = await openRecordingNode(t, ({ action }) =>
    action === 'accounts_balances' ? { error: complaints[said++ % complaints.length] } : { error: 'Account not found' },
  )
  const gateway = await openGateway(t, { NODE_URLS: node.url, CACHE_BYTES_MAX: '0' })
  const say = at(gateway)
  for (let tries = 0; tries < 30; tries++) {
    const reply = await say({ action: 'accounts_balances', accounts: [], nonce: tries })
    assert.deepEqual([reply.status, reply.json().error], [200, complaints[tries % complaints.length]])
  }
  assert.equal(gateway.app.nodes.pool.upstreams[0]!.state, 'well')
  // The node would count escaped brackets; it must never receive them.
  const heard = node.requests.length
  const escaped = `{"action":"validate_account_number","account":"${'\\u005b'.repeat(30)}"}`
  assert.deepEqual((await say(escaped)).json(), { error: 'Max JSON depth exceeded' })
  assert.equal(node.requests.length, heard)
})

test('nodes get the fields of an action from this endpoint and no others (contract 4.8, rule 2)', async (t) => {
  const node = await openRecordingNode(t)
  const gateway = await openGateway(t, { NODE_URLS: node.url, CACHE_BYTES_MAX: '0' })
  const unsafe = { wallet: 'W', password: 'P', seed: 'S', force: 'false', enable_control: 'true' }
  for (const { name, example, ofNode } of gateway.app.endpoints.actions) {
    if (ofNode) await at(gateway)({ ...example.request, action: name, ...unsafe })
  }
  assert.ok(new Set(node.requests.map(({ action }) => action)).size > 25)
  for (const request of node.requests) {
    for (const name of Object.keys(unsafe)) assert.ok(!(name in request), `${request.action} ${name}`)
  }
})
