import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Signer, UNOPENED, give, nano } from '../support/blocks.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { assertRefusal } from './refusal.ts'
import { row } from './row.ts'

/* Contract 1: accepted forms of requests. */

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)
const BLOCK_COUNT = '{"action":"block_count"}'

test('requests are read tolerantly, and unreadable ones get a clear error', async (t) => {
  const gateway = await openGateway(t)

  await t.test('200 whatever the content type says, or without one (contract 1, rules 1 and 2)', async () => {
    const usual = ['application/json', 'application/json; charset=utf-8', 'application/octet-stream', 'text/plain']
    const forms = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']
    for (const type of [...usual, ...forms, 'nonsense', '; charset=', '']) {
      const reply = await gateway.post(BLOCK_COUNT, { 'content-type': type })
      assert.equal(reply.status, 200, type)
      assert.equal(reply.json().count, '3')
    }
    assert.equal((await gateway.post(BLOCK_COUNT)).json().count, '3')
    const chunked = await gateway.post(BLOCK_COUNT, { 'transfer-encoding': 'chunked' })
    assert.equal(chunked.json().count, '3')
  })

  await t.test(
    '400 with a JSON error for a body that is no JSON object (contract 1, rule 2; 7, Status codes: 400)',
    async () => {
      const bodies = ['', ' ', '"version"', '1', 'true', 'null', 'action=version', "{'action':1}"]
      for (const body of [...bodies, '{', '{"action":"version"', '{"action":"version",}', `${BLOCK_COUNT}x`]) {
        assertRefusal(await gateway.post(body), 400, 'Unable to parse JSON', 'invalid_json')
      }
      assertRefusal(await ask(gateway.url), 400, 'Unable to parse JSON', 'invalid_json')
      const notUtf8 = await ask(gateway.url, { body: Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d) })
      assertRefusal(notUtf8, 400, /./, notUtf8.json().code!)
    },
  )

  await t.test(
    '413 with a JSON error for a body over 1 MiB, and 1 MiB is still read (contract 1, rule 8; 8, Requests: body; 7, Status codes: 413)',
    async () => {
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
    },
  )

  await t.test(
    '400 for JSON deeper than 20, and brackets inside strings do not count (contract 1, rule 8; 8, Requests: depth of the JSON)',
    async () => {
      const nested = (depth: number) => `{"action":"block_count","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
      assert.equal((await gateway.post(nested(20))).status, 200)
      assertRefusal(await gateway.post(nested(21)), 400, 'Max JSON depth exceeded', 'invalid_json')
      assertRefusal(await gateway.post('['.repeat(500_000)), 400, 'Max JSON depth exceeded', 'invalid_json')
      const brackets = { account: `${'[{'.repeat(200)}"\\"[` }
      assert.deepEqual((await gateway.call('validate_account_number', brackets)).json(), { valid: '0' })
    },
  )

  // Published clients send these headers (clients 2).

  await t.test(
    'a misspelt field is ignored and named beside the answer, remembered or not (contract 1, rule 5; 9, rule 5)',
    async () => {
      const sent = {
        ...{ array: true, watch_work: 'false', use_peers: true, password: '', currency: false, count: null },
        ...{ account: '@nobody', address: { deep: [1] }, ['__proto__']: { action: 'stop' }, ['т\r\n\ud800']: 1 },
        idempotency_key: 'x',
      }
      const named =
        'array, watch_work, use_peers, password, currency, count, account, address, __proto__, %D1%82%0D%0A%EF%BF%BD'
      // From the node, from the cached node answer, and from the cached response.
      for (let round = 0; round < 4; round++) {
        const reply = await gateway.call('block_count', sent)
        assert.equal(reply.json().count, '3')
        assert.equal(reply.headers['x-ignored-fields'], named)
      }
      const refused = await gateway.call('checkout', { titel: 'Coffee', address: 'nano_1' })
      assert.deepEqual([refused.status, refused.headers['x-ignored-fields']], [400, 'titel'])
      const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${at}${'x'.repeat(100)}`, at]))
      const names = (await gateway.call('version', many)).headers['x-ignored-fields'] as string
      assert.equal(names, Array.from({ length: 20 }, () => '(a long name)').join(', '))
      const known = await gateway.call('account_balance', { account: GENESIS, include_only_confirmed: true })
      assert.equal(known.headers['x-ignored-fields'], undefined)
    },
  )

  await t.test(
    'null and an empty text are absent: in an optional field nothing, and a missing one is named, as a wrong flag is (contract 1, rule 6; 7, Texts and codes: required field missing)',
    async () => {
      const history = async (rest: object) =>
        (await gateway.call('account_history', { account: GENESIS, count: 1, ...rest })).text
      const plain = await history({})
      for (const nothing of [null, '']) {
        assert.equal(await history({ head: nothing, offset: nothing, raw: nothing, account_filter: nothing }), plain)
        const absent = { title: nothing, mode: nothing, template: nothing, key: nothing }
        const made = await gateway.call('checkout', { address: GENESIS, amount: '1', ...absent })
        assert.equal(made.status, 200, made.text)
        const price = await gateway.call('price', { currency: nothing })
        assert.equal(price.json().currency, 'usd', price.text)
      }
      for (const absent of [{}, { amount: null }, { amount: '' }]) {
        const reply = await gateway.call('find_block', { address: GENESIS, ...absent })
        assertRefusal(reply, 400, 'The field amount is required.', 'invalid_request')
        assert.equal(reply.json().field, 'amount')
      }
      const flag = await gateway.call('cloud_wallet', { list: 'yes', key: gateway.app.createdKey })
      assertRefusal(flag, 400, 'list must be true or false.', 'invalid_request')
      assert.equal(flag.json().field, 'list')
    },
  )

  await t.test(
    'flags are read in all their forms, and any other means nothing to the node; numbers with an exponent are read exactly (contract 1, rule 6)',
    async () => {
      const contentsWith = async (json_block: unknown) => {
        const reply = await gateway.call('block_info', { hash: DEV_NETWORK.genesisHash, json_block })
        return typeof reply.json<{ contents: unknown }>().contents
      }
      for (const flag of [false, 'false', 0, '0', 'FALSE', 'False'])
        assert.equal(await contentsWith(flag), 'string', String(flag))
      for (const flag of [true, 'true', 1, '1', 'TRUE', undefined, null, '', 'yes', [], {}, 2]) {
        assert.equal(await contentsWith(flag), 'object', JSON.stringify(flag))
      }
      for (const amount of [1e-7, '1e-7', '1E-7']) {
        assert.equal((await gateway.call('nano_to_raw', { amount })).json().raw, `1${'0'.repeat(23)}`, String(amount))
      }
      assert.equal((await gateway.call('raw_to_nano', { amount: 1e30 })).json().nano, '1')
      // Python writes all digits of an integer, and a JavaScript number would lose the last ones.
      for (const [action, sent, answered, expected] of [
        ['raw_to_nano', '10000000000000000000000000000001', 'nano', '10.000000000000000000000000000001'],
        ['nano_to_raw', '0.100000000000000000000000000001', 'raw', '100000000000000000000000000001'],
        ['nano_to_raw', '1.0000000000000000000000000000000', 'raw', `1${'0'.repeat(30)}`],
        ['nano_to_raw', '1234567.8901234567e-7', 'raw', '123456789012345670000000000000'],
      ] as const) {
        const reply = await gateway.post(`{"action":"${action}","amount" : ${sent}}`)
        assert.equal(reply.json<Record<string, unknown>>()[answered], expected, sent)
      }
      const made = await gateway.call('checkout', { address: GENESIS, amount: 1e21 })
      assertRefusal(made, 400, 'Invalid amount number', 'invalid_amount')
    },
  )

  await t.test(
    '400 for a list of 1001 entries, and 1000 are answered without losing one (contract 1, rule 8; 8, Requests: entries of accounts, hashes; 8, rule 5)',
    async () => {
      const accounts = Array.from({ length: 1000 }, (_, at) =>
        toAddress(at.toString(16).toUpperCase().padStart(64, '0')),
      )
      const hashes = Array.from({ length: 1000 }, (_, at) => at.toString(16).toUpperCase().padStart(64, 'A'))
      const { balances } = (await gateway.call('accounts_balances', { accounts })).json<{ balances: object }>()
      assert.deepEqual(Object.keys(balances), accounts)
      const found = await gateway.call('blocks_info', { hashes, include_not_found: true })
      assert.deepEqual(found.json(), { blocks: '', blocks_not_found: hashes })

      const [more, most] = [{ accounts: [...accounts, GENESIS] }, { hashes: [...hashes, hashes[0]] }]
      const ofAccounts = ['balances', 'receivable', 'frontiers', 'representatives'].map((what) => `accounts_${what}`)
      for (const action of [...ofAccounts, 'blocks_info', 'blocks']) {
        const field = ofAccounts.includes(action) ? 'accounts' : 'hashes'
        const reply = await gateway.call(action, field === 'accounts' ? more : most)
        assertRefusal(reply, 400, /takes at most 1000 entries\.$/, 'invalid_list')
        assert.equal(reply.json().field, field)
      }
    },
  )

  await t.test(
    '400 without an action, unless a block and its subtype say it (contract 1, rule 3; 7, Texts and codes: no action)',
    async () => {
      for (const body of ['{}', '{"action":""}', '{"action":null}', '{"block":{}}', '{"subtype":"send"}']) {
        assertRefusal(await gateway.post(body), 400, 'Action not provided', 'invalid_action')
      }
      const { node } = gateway.app.devnet!
      const signer = new Signer(2, node.ledger.thresholds)
      const hash = await give(node, signer.key, nano(5))
      const block = toBlockJson(signer.receive(UNOPENED, hash, nano(5)))
      const reply = await gateway.post(JSON.stringify({ subtype: 'open', block }))
      assert.match(reply.json().hash!, /^[0-9A-F]{64}$/)
      const { balance_nano } = (await gateway.call('account_info', { account: signer.address })).json()
      row('1, Product areas: 1. Node reads and writes', () => assert.equal(balance_nano, '5'))
    },
  )
})

test('counts are read as numbers and as texts, -1 is everything, and the largest body is a setting (contract 1, rules 6 and 8; 8, Requests: count of "-1")', async (t) => {
  const gateway = await openGateway(t, { COUNT_MAX: '3', BODY_BYTES_MAX: '2000' })
  const { key, address } = new Signer(0)
  for (const amount of [1, 2, 3, 4]) await gateway.app.devnet!.node.fund(key, nano(amount))
  await gateway.confirmed()
  const listed = async (count: unknown) => {
    const reply = await gateway.call('receivable', { account: address, count })
    assert.equal(reply.status, 200, reply.text)
    return reply.json<{ blocks: string[] }>().blocks.length
  }
  assert.deepEqual([await listed(2), await listed('2')], [2, 2])
  assert.deepEqual([await listed(0), await listed('0')], [0, 0])
  // No limit in the request still means the server's limit.
  assert.deepEqual([await listed(-1), await listed('-1'), await listed(undefined), await listed(1e15)], [3, 3, 3, 3])
  for (const count of ['x', ' ', 1.5, '1.5', -2, '-2', '1e3', '0x10', true, [], {}]) {
    const reply = await gateway.call('receivable', { account: address, count })
    assertRefusal(reply, 400, 'Invalid count', 'invalid_count')
    assert.equal(reply.json().field, 'count')
  }
  const long = (bytes: number) =>
    gateway.call('version', { padding: 'x'.repeat(bytes - '{"action":"version","padding":""}'.length) })
  assert.equal((await long(2_000)).status, 200)
  assertRefusal(await long(2_001), 413, 'The body is larger than 2000 bytes.', 'body_too_large')
})
