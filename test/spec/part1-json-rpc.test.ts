import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer, openGateway } from '../support/gateway.ts'
import { newHash } from '../support/random.ts'
import { openPayer, openShop, paymentBlock, requiredOf, responseOf, signed } from '../support/x402-steps.ts'
import { row } from './row.ts'
import { alice } from './ledger-world.ts'

/* Contract 1, JSON-RPC 2.0: the same requests in another format. */

type Members = Record<string, unknown>

interface Answer {
  jsonrpc: string
  id: unknown
  result?: Members
  error?: { code: number; message: string; data?: Members }
}

const call = (method: unknown, params?: unknown, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) })

test('a call in JSON-RPC is the same request as elsewhere, also to its Idempotency-Key; an id comes back as it was written (contract 1, JSON-RPC 2.0: method, params, id)', async (t) => {
  const { post, call: plain, app } = await openGateway(t)
  const fields = { account: alice.address }
  const usual = (await plain('account_balance', fields)).json()
  const reply = await post(call('account_balance', fields))
  row('1, JSON-RPC 2.0: result', () =>
    assert.deepEqual([reply.status, reply.json()], [200, { jsonrpc: '2.0', id: 1, result: usual }]),
  )
  for (const text of [
    '{"jsonrpc":"2.0","method":"version","id":1}',
    '{"id":1,"params":{ },"method":"version","jsonrpc":"2.0"}',
    ' {"jsonrpc" : "2.0","method":"version","id":1,"params":null}',
    '{"params":{"account":1},"jsonrpc":"2.0","method":"version","id":1,"params":{"action":"version"}}',
  ]) {
    assert.equal((await post(text)).json<Answer>().result?.rpc_version, '1', text)
  }
  // Both formats share the cached answer.
  const balance = JSON.stringify({ action: 'account_balance', ...fields })
  for (let at = 0; at < 3; at++) await post(balance)
  assert.equal((await post(call('account_balance', fields))).headers['x-cache'], 'hit')
  assert.equal((await post(call('nano_to_raw', { amount: '1', amuont: 2 }))).headers['x-ignored-fields'], 'amuont')
  // The word `jsonrpc` inside a value does not make a JSON-RPC request.
  const about = await post('{"action":"nano_to_raw","amount":"1","note":"\\"jsonrpc\\""}')
  const first = await post('{"action":"nano_to_raw","amount":"1","jsonrpc":"1.0"}')
  assert.deepEqual([about.json().raw, first.json().raw], [`1${'0'.repeat(30)}`, `1${'0'.repeat(30)}`])
  const key = { ...bearer(app.createdKey!), 'idempotency-key': 'k' }
  const made = (await post(call('cloud_wallet', { wallet_action: 'create_wallet' }), key)).json<Answer>().result!
  assert.deepEqual((await plain('cloud_wallet', { wallet_action: 'create_wallet' }, key)).json(), made)

  for (const id of ['1', '"a\\u0062\\"]}"', 'null', '-1.50e+3', '12345678901234567890123', '""']) {
    const { text } = await post(`{"jsonrpc":"2.0","id": ${id} ,"method":"nano_to_raw","params":{"amount":"0"}}`)
    assert.equal(text, `{"jsonrpc":"2.0","id":${id},"result":{"raw":"0","amount":"0"}}`)
  }
  // Invalid ids are refused.
  for (const id of ['[]', '{}', 'true']) {
    const { error, id: told } = (await post(`{"jsonrpc":"2.0","id":${id},"method":"version"}`)).json<Answer>()
    assert.deepEqual([error?.code, told], [-32600, null])
  }
})

test('each refusal has its code, and in data what its body has elsewhere; the status is 200 (contract 1, JSON-RPC 2.0: error)', async (t) => {
  const { post, call: plain, app } = await openGateway(t, { LIMIT_FREE_PER_MINUTE: '6' })
  const refusal = async (body: string, headers = {}) => {
    const reply = await post(body, headers)
    assert.equal(reply.status, 200)
    const { error, result } = reply.json<Answer>()
    assert.equal(result, undefined)
    return error!
  }
  const key = bearer(app.createdKey!)
  const { data = {} } = await refusal(call('account_info', { account: 'nobody' }))
  const { error: message, message: _same, ...elsewhere } = (await plain('account_info', { account: 'nobody' })).json()
  assert.deepEqual<Members>(data, { ...elsewhere, status: 400 })
  assert.equal((await refusal(call('account_info', { account: 'nobody' }))).message, message)
  row('1, JSON-RPC 2.0: −32602', () => assert.deepEqual([data.field, data.code], ['account', 'invalid_account']))
  const params = [[], 'x', { action: 'block_count' }, { action: ['version'] }]
  const codes: [number, string, object?][] = params.map((given) => [-32602, call('version', given)])
  row('1, JSON-RPC 2.0: −32600', () =>
    codes.push([-32600, call('')], [-32600, call(7)], [-32600, '{"jsonrpc":"2.0","id":1}']),
  )
  row('1, JSON-RPC 2.0: −32601', () => {
    for (const method of ['no_such_action', 'stop', '__proto__', 'toString']) codes.push([-32601, call(method)])
  })
  row('1, JSON-RPC 2.0: −32000', () => codes.push([-32000, call('account_info', { account: alice.address })]))
  row('1, JSON-RPC 2.0: −32001', () =>
    codes.push([-32001, call('rpc_credits')], [-32001, call('version'), { authorization: 'Bearer rpc_sk_wrong' }]),
  )
  const { address: account } = (await plain('cloud_wallet', { wallet_action: 'create_wallet' }, key)).json()
  const empty = call('cloud_wallet', { send: alice.address, amount: '1', account })
  row('1, JSON-RPC 2.0: −32003', () => codes.push([-32003, empty, key]))
  for (const [code, body, headers] of codes) {
    const error = await refusal(body, headers)
    assert.equal(error.code, code, `${body}: ${JSON.stringify(error)}`)
  }
  const unopened = await refusal(call('account_info', { account: alice.address }))
  assert.deepEqual(unopened, { code: -32000, message: 'Account not found' })
  const limited = async () => {
    for (let at = 0; at < 10; at++) {
      const { error } = (await post(call('version'), key)).json<Answer>()
      if (error) return error
    }
    return undefined
  }
  const { code, data: told } = (await limited())!
  row('1, JSON-RPC 2.0: −32004', () => assert.deepEqual([code, Number(told!.retry_after) > 0], [-32004, true]))
})

test('a notification gets no answer, and none may move money (contract 1, JSON-RPC 2.0: no id)', async (t) => {
  const { post, call: plain, app } = await openGateway(t)
  const read = await post('{"jsonrpc":"2.0","method":"version"}')
  assert.deepEqual([read.status, read.text], [202, ''])
  assert.equal((await post('{"jsonrpc":"2.0","method":"no_such_action"}')).text, '')
  const all = await post('[{"jsonrpc":"2.0","method":"version"},{"jsonrpc":"2.0","method":"block_count"}]')
  assert.deepEqual([all.status, all.text], [202, ''])
  const asked = call('nano_to_raw', { amount: '0' }, 'a')
  const mixed = await post(`[{"jsonrpc":"2.0","method":"version"},${asked},{"action":"version"}]`)
  const [first, second, ...rest] = mixed.json<(Answer & Members)[]>()
  assert.deepEqual([first!.id, second!.rpc_version, rest.length], ['a', '1', 0])
  const key = bearer(app.createdKey!)
  for (const method of ['cloud_wallet', 'process', 'checkout', 'rpc_key', 'faucet_claim']) {
    const body = JSON.stringify({ jsonrpc: '2.0', method, params: { create: true, address: alice.address } })
    const { error, id } = (await post(body, key)).json<Answer>()
    assert.deepEqual([error?.code, id], [-32600, null], method)
  }
  assert.deepEqual((await plain('cloud_wallet', { list: true }, key)).json(), [])
})

test('who is asked for money gets the challenge in data, and pays as everywhere (contract 1, JSON-RPC 2.0: −32002)', async (t) => {
  const { post, node } = await openShop(t)
  const body = call('work_generate', { hash: newHash() })
  const asked = await post(body)
  const { error } = asked.json<Answer>()
  assert.deepEqual([asked.status, error?.code], [200, -32002])
  assert.deepEqual(error?.data, { ...requiredOf(asked), code: 'payment_required', status: 402 })
  const paid = await post(body, signed(paymentBlock(node, await openPayer(node))))
  assert.match(String(paid.json<Answer>().result?.work), /^[0-9a-f]{16}$/)
  assert.equal(responseOf(paid).success, true)
})
