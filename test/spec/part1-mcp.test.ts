import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { TestClock } from '../support/clock.ts'
import { CLI } from '../support/command-line.ts'
import { Signer, give, nano } from '../support/blocks.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { openMcpClient, useTool } from '../support/mcp-client.ts'
import { newHash } from '../support/random.ts'
import { type Members, openPayer, openShop, paymentBlock, payloadOf, paymentsOnLedger } from '../support/x402-steps.ts'
import { assertRefusal } from './refusal.ts'
import { spawnCli } from '../start/process.ts'
import { row } from './row.ts'

/* Contract 1, Tools for agents: MCP with its official client. */

const MCP_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const errorOf = ({ _meta: meta }: { _meta?: Members | undefined }) => meta?.['nano-gateway/error'] as Members
const message = (method: string, params: object = {}, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

test('an agent lists the tools, reads a balance and makes a checkout with its key (contract 1, Tools for agents: POST /mcp)', async (t) => {
  const { url, app, call } = await openGateway(t)
  const someone = new Signer(77)
  await give(app.devnet!.node, someone.key, nano(2))
  const agent = await openMcpClient(t, url, app.createdKey)
  const { tools } = await agent.listTools()
  const offered = async (sets: string) => (await (await openMcpClient(t, url, app.createdKey, sets)).listTools()).tools
  const all = await offered('payments,wallets,ledger,names,market,work,admin')
  row('1, Tools for agents: tools', () => {
    const names = (list: typeof tools) => list.map(({ name }) => name).sort()
    const operations = app.endpoints.actions.flatMap(({ name, tools }) => tools?.map((tool) => tool.name) ?? [name])
    assert.deepEqual(names(all), operations.sort())
    assert.ok(tools.length <= 40, `${tools.length}`)
    const bytes = JSON.stringify({ tools }).length
    assert.ok(bytes <= 60 * 1024, `${bytes}`)
    const useful = ['checkout', 'checkout_status', 'wallet_create', 'wallet_list', 'wallet_send', 'account_history']
    for (const name of useful) assert.ok(names(tools).includes(name), name)
  })
  assert.deepEqual(
    (await offered('work')).map(({ name }) => name),
    ['work_generate', 'work_validate', 'work_cancel'],
  )
  await assert.rejects(openMcpClient(t, url, app.createdKey, 'everything'), /Unknown set of tools/)
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))
  row('1, Tools for agents: annotations', () => {
    const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }
    assert.deepEqual(hints.account_balance, reads)
    assert.deepEqual(hints.wallet_balance, reads)
    assert.deepEqual(hints.checkout_status, reads)
    assert.deepEqual([hints.wallet_send?.readOnlyHint, hints.wallet_send?.destructiveHint], [false, true])
    assert.deepEqual([hints.wallet_create?.readOnlyHint, hints.wallet_create?.destructiveHint], [false, false])
    assert.deepEqual([hints.checkout?.readOnlyHint, hints.checkout?.destructiveHint], [false, false])
    assert.equal(hints.nano_to_raw?.openWorldHint, false)
  })
  const send = tools.find(({ name }) => name === 'wallet_send')!
  assert.deepEqual(Object.keys(send.inputSchema.properties!), ['account', 'to', 'amount', 'idempotency_key'])
  assert.deepEqual(send.inputSchema.required, ['account', 'to', 'amount'])
  assert.equal(
    tools.some(({ name }) => name === 'cloud_wallet'),
    false,
  )
  // The client validates each answer against the tool's schema.
  const fields = { account: someone.address }
  const balance = await useTool(agent, 'account_balance', fields)
  const usual = (await call('account_balance', fields)).json()
  row('1, Tools for agents: answers', () => assert.deepEqual(balance.structuredContent, usual))
  for (const list of ['reps', 'known', 'aliases']) {
    const { structuredContent } = await useTool(agent, list)
    assert.ok(Array.isArray(structuredContent?.result), list)
  }
  assert.ok(Array.isArray((await useTool(agent, 'receivable', { ...fields, array: 'true' })).structuredContent?.result))
  assert.ok('blocks' in (await useTool(agent, 'receivable', fields)).structuredContent!, 'an object is not wrapped')
  const order = { address: someone.address, amount: '1', idempotency_key: 'one' }
  const made = await useTool(agent, 'checkout', order)
  const again = await useTool(agent, 'checkout', order)
  assert.equal(made.structuredContent?.status, 'pending')
  assert.deepEqual(again.structuredContent, made.structuredContent)
})

test('every tool can be offered to a model in strict mode: nothing open, nothing optional among alternatives, free objects as JSON in a text (contract 1, Tools for agents: tools)', async (t) => {
  const { url, app } = await openGateway(t)
  const agent = await openMcpClient(t, url, app.createdKey, 'payments,wallets,ledger,names,market,work,admin')
  interface Shown {
    type?: string
    properties?: Record<string, Shown>
    required?: string[]
    additionalProperties?: unknown
    anyOf?: Shown[]
    items?: Shown
  }
  const wrong: string[] = []
  const look = (at: string, schema: Shown, isAlternative = false) => {
    const { type, properties = {}, required = [], additionalProperties, anyOf = [], items } = schema
    const names = Object.keys(properties)
    if (type === 'object' && additionalProperties !== false) wrong.push(`${at} is open`)
    if (isAlternative && names.some((name) => !required.includes(name))) wrong.push(`${at} has optional members`)
    for (const name of names) look(`${at}.${name}`, properties[name]!)
    for (const each of anyOf) look(at, each, true)
    if (items) look(`${at}[]`, items)
  }
  for (const { name, inputSchema } of (await agent.listTools()).tools) look(name, inputSchema as Shown)
  assert.deepEqual(wrong, [])
  const metadata = { order: 'A-1' }
  for (const given of [JSON.stringify(metadata), metadata]) {
    const made = await useTool(agent, 'wallet_create', { metadata: given })
    assert.deepEqual(made.structuredContent?.metadata, metadata)
  }
  assert.equal(errorOf(await useTool(agent, 'wallet_create', { metadata: 'A-1' })).code, 'invalid_metadata')
})

test('without a key an agent only reads: what moves money is not shown, and refused when it is called (contract 1, Tools for agents: rights)', async (t) => {
  const gateway = await openGateway(t)
  const { url, app, rest } = gateway
  const stranger = await openMcpClient(t, url)
  const shown = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
  const names = await shown(stranger)
  assert.ok(names.includes('account_balance'))
  for (const hidden of ['process', 'cloud_wallet', 'checkout', 'rpc_key', 'faucet_claim', 'rpc_credits']) {
    assert.ok(!names.includes(hidden), hidden)
    const refused = await useTool(stranger, hidden, {})
    assert.deepEqual([refused.isError, errorOf(refused).code, errorOf(refused).status], [true, 'key_required', 401])
  }
  const made = await rest('POST', '/api/keys', app.createdKey, { name: 'Reader', scopes: ['read', 'wallets:read'] })
  const reader = await openMcpClient(t, url, made.json().key)
  const allowed = await shown(reader)
  assert.ok(allowed.includes('account_balance'))
  assert.ok(
    allowed.includes('wallet_balance') && !allowed.includes('wallet_send') && !allowed.includes('checkout'),
    allowed.join(),
  )
  const send = await useTool(reader, 'cloud_wallet', { wallet_action: 'create_wallet' })
  assert.deepEqual([errorOf(send).code, errorOf(send).scope], ['missing_scope', 'wallets:send'])
  const headers = { ...MCP_HEADERS, authorization: 'Bearer rpc_sk_wrong' }
  const wrong = await ask(`${url}/mcp`, { body: message('tools/list'), headers })
  assertRefusal(wrong, 401, 'Invalid API Key.', 'invalid_key')
  assert.ok(!gateway.log().includes('rpc_sk_wrong'))
})

test('an agent without a key pays for one call inside MCP, and gets the receipt with its answer (contract 1, Tools for agents: payment by request)', async (t) => {
  const { url, node } = await openShop(t)
  const agent = await openMcpClient(t, url)
  const fields = { hash: newHash() }
  const asked = await useTool(agent, 'work_generate', fields)
  const terms = asked._meta?.['x402/error'] as { x402Version: number; accepts: { amount: string }[] }
  assert.deepEqual([asked.isError, errorOf(asked).code, terms.x402Version], [true, 'payment_required', 2])
  assert.equal((JSON.parse((asked.content[0] as { text: string }).text) as Members).status, 402)
  assert.equal(paymentsOnLedger(node), 0)
  const payer = await openPayer(node)
  const payment = { 'x402/payment': payloadOf(paymentBlock(node, payer, BigInt(terms.accepts[0]!.amount))) }
  const paid = await useTool(agent, 'work_generate', fields, payment)
  assert.match(String(paid.structuredContent?.work), /^[0-9a-f]{16}$/)
  assert.equal((paid._meta!['x402/payment-response'] as Members).success, true)
  assert.equal(paymentsOnLedger(node), 1)
  assert.deepEqual((await useTool(agent, 'work_generate', fields, payment)).structuredContent, paid.structuredContent)
  const elsewhere = await useTool(agent, 'work_generate', { hash: newHash() }, payment)
  assert.equal(errorOf(elsewhere).code, 'duplicate_settlement')
  for (const nonsense of ['x', {}, 'x'.repeat(20_000), [], 7]) {
    const refused = await useTool(agent, 'work_generate', { hash: newHash() }, { 'x402/payment': nonsense })
    assert.equal(errorOf(refused).status, 402)
  }
  assert.equal(paymentsOnLedger(node), 1)
})

test("an agent reads what a tool refuses with: codes, fields, the nearest name, the ledger's words; contract and guides are resources, the usual tasks prompts (contract 1, Tools for agents: errors, resources, prompts)", async (t) => {
  const { url } = await openGateway(t)
  const agent = await openMcpClient(t, url)
  const field = await useTool(agent, 'account_balance', { account: 'nobody' })
  assert.deepEqual([field.isError, errorOf(field).code, errorOf(field).field], [true, 'invalid_account', 'account'])
  const wordsOf = ({ content }: { content: unknown[] }) => (content[0] as { text: string }).text
  assert.equal(wordsOf(field), 'Bad account number field: account. (invalid_account, status 400)')
  const mistyped = await useTool(agent, 'acount_info')
  assert.equal(errorOf(mistyped).nearest, 'account_info')
  assert.match(wordsOf(mistyped), /Did you mean account_info\?/)
  const unopened = await useTool(agent, 'account_info', { account: new Signer(5).address })
  assert.deepEqual(errorOf(unopened), { error: 'Account not found', status: 200 })
  assert.equal(wordsOf(unopened), 'The ledger refuses: Account not found.')
  assert.equal(errorOf(await useTool(agent, 'stop')).code, 'invalid_action')
  // JSON cannot represent this number; it must not be treated as a missing field.
  const body = message('tools/call', { name: 'nano_to_raw', arguments: { amount: 7 } }).replace(':7', ':1e400')
  const endless = await ask(`${url}/mcp`, { body, headers: MCP_HEADERS })
  assert.match(endless.text, /invalid_amount/)

  const { resources } = await agent.listResources()
  const uris = resources.map(({ uri }) => uri)
  assert.ok(uris.includes(`${url}/docs/contract/part-7.md`) && uris.includes(`${url}/docs/agents.md`), uris.join('\n'))
  const { contents } = await agent.readResource({ uri: `${url}/docs/contract/part-7.md` })
  assert.match((contents[0] as { text: string }).text, /^# Part 7\. Errors/)
  for (const uri of ['file:///etc/passwd', `${url}/docs/../package.json`, `${url}/docs/../../etc/passwd.md`, 'x']) {
    await assert.rejects(agent.readResource({ uri }), /not found/i)
  }
  const { prompts } = await agent.listPrompts()
  assert.deepEqual(
    prompts.map(({ name }) => name),
    ['take_payment', 'check_account', 'send_payment', 'pay_for_call'],
  )
  const { messages } = await agent.getPrompt({ name: 'check_account', arguments: { account: '@shop' } })
  assert.match((messages[0]!.content as { text: string }).text, /@shop/)
  await assert.rejects(agent.getPrompt({ name: 'send_payment', arguments: { to: '@shop' } }), /amount is required/)
})

test('each message counts against its caller, a call that never reaches its tool as well, and a page of another origin is refused (contract 1, Tools for agents: limits, origins)', async (t) => {
  const { url } = await openGateway(t, { LIMIT_ANONYMOUS_PER_MINUTE: '10' }, new TestClock())
  const post = (body: string, headers: Record<string, string> = {}) =>
    ask(`${url}/mcp`, { body, headers: { ...MCP_HEADERS, ...headers } })
  const list = message('tools/list')
  for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example']) {
    assertRefusal(await post(list, { origin }), 403, /other origins/, 'origin_not_allowed')
  }
  assertRefusal(await post(`[${list},${list}]`), 400, /one message/, 'invalid_request')
  assert.equal((await post(list, { origin: new URL(url).origin })).status, 200)
  for (const params of [{}, { name: 7 }, { name: 'version', arguments: [] }, { name: 'version', arguments: 'x' }]) {
    assert.equal((await post(message('tools/call', params))).status, 200)
  }
  const call = message('tools/call', { name: 'nano_to_raw', arguments: { amount: '1' } })
  assert.equal((await post(call)).json<{ result: { isError?: true } }>().result.isError, undefined)
  const limited = (await post(call)).json<{ result: { _meta: Members } }>().result
  assert.equal(errorOf(limited).code, 'too_many_requests')
  const refused = await post(list)
  assertRefusal(refused, 429, 'Too many requests.', 'too_many_requests')
  assert.ok(Number(refused.headers['retry-after']) > 0)
})

test('anything but a message of MCP gets a clear answer, and there is no stream (contract 1, Tools for agents: POST /mcp)', async (t) => {
  const { url } = await openGateway(t)
  const post = (body: string) => ask(`${url}/mcp`, { body, headers: MCP_HEADERS })
  for (const body of ['', '{', '['.repeat(1000)]) {
    const reply = await post(body)
    assert.deepEqual([reply.status, reply.json().code], [400, 'invalid_json'])
  }
  for (const body of ['null', '7', '{}', '{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"2.0","id":{},"method":"ping"}']) {
    assertRefusal(await post(body), 400, 'This is not an MCP message.', 'invalid_request')
  }
  const unknown = (await post(message('tools/dance'))).json<{ error: { code: number } }>()
  assert.equal(unknown.error.code, -32601)
  assert.equal((await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')).status, 202)
  for (const method of ['GET', 'DELETE']) assert.equal((await ask(`${url}/mcp`, { method })).status, 405)
  // As everywhere, whatever the content type and the accept header are.
  assert.equal((await ask(`${url}/mcp`, { body: message('ping') })).status, 200)
  const version = { ...MCP_HEADERS, 'mcp-protocol-version': '1999-01-01' }
  const old = await ask(`${url}/mcp`, { body: message('ping'), headers: version })
  assertRefusal(old, 400, 'This is not an MCP message.', 'invalid_request')
  const large = await post(message('tools/call', { name: 'version', arguments: { x: 'x'.repeat(1024 * 1024) } }))
  assert.equal(large.status, 413)
})

test('a program that speaks over standard input has the same tools through nano-gateway mcp (contract 1, Tools for agents: nano-gateway mcp)', async (t) => {
  const { url, app } = await openGateway(t)
  const agent = new Client({ name: 'test', version: '1' })
  const env = { NANO_GATEWAY_KEY: app.createdKey!, NANO_GATEWAY_URL: url }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--tools', 'wallets,market'],
    env,
    stderr: 'ignore',
  })
  t.after(() => agent.close())
  await agent.connect(transport)
  const { tools } = await agent.listTools()
  const names = tools.map(({ name }) => name)
  assert.ok(names.includes('wallet_create') && names.includes('price') && !names.includes('checkout'), names.join())
  const { structuredContent } = await useTool(agent, 'nano_to_raw', { amount: '1' })
  assert.equal(structuredContent?.raw, `1${'0'.repeat(30)}`)
  const wallet = await useTool(agent, 'cloud_wallet', { wallet_action: 'create_wallet' })
  assert.match(String(wallet.structuredContent!.address), /^nano_/)
})

test('messages piped into nano-gateway mcp are answered although the input has ended', async (t) => {
  const { url } = await openGateway(t)
  const { child, ended } = spawnCli(t, ['mcp', '--url', url], {})
  const call = { name: 'nano_to_raw', arguments: { amount: '1' } }
  child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: call })}\n`)
  const { output, errors, code } = await ended
  assert.deepEqual([errors, code], ['', 0])
  const { id, result } = JSON.parse(output) as { id: number; result: { structuredContent: { raw: string } } }
  assert.deepEqual([id, result.structuredContent.raw], [7, `1${'0'.repeat(30)}`])
})
