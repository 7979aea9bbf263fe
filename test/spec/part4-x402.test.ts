import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { ACTIONS } from '../../src/offered.ts'
import { workGenerate } from '../../src/modules/work/actions/work-generate.ts'
import { hashBlock } from '../../src/kernel/nano/block.ts'
import { WORK_THRESHOLDS, workValue } from '../../src/kernel/nano/work.ts'
import type { Raw } from '../../src/kernel/money.ts'
import { describeBriefly } from '../../src/modules/x402/domain/offer.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { checkSignatureAndWork, readPaymentBlock } from '../../src/kernel/x402/payment-block.ts'
import type { LedgerNode } from '../../src/devnet/index.ts'
import { exactNano } from '../../src/exports/x402.ts'
import { Signer, frontierOf } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { openDevnet } from '../support/devnet.ts'
import { freshUrl } from '../support/engines.ts'
import { ask, openGateway, sharedKeys } from '../support/gateway.ts'
import { newHash } from '../support/random.ts'
import {
  PRICE,
  SHOP,
  TERMS,
  assertRefused,
  encode,
  openPayer,
  openShop,
  paymentBlock,
  payloadOf,
  paymentsOnLedger,
  receiptOf,
  requiredOf,
  responseOf,
  signed,
} from '../support/x402-steps.ts'
import { row } from './row.ts'

/* Contract 4.7: the price, the payment, and the answer. Failures are in part4-x402-refusals and -outcomes. */

const RESOURCE = {
  url: 'https://rpc.example/actions/work_generate',
  description: 'work_generate',
  mimeType: 'application/json',
}

interface Described {
  info: { input: { method: string; body: object } }
  schema: object
}
interface Item {
  resource: string
  body: object
  description: string
  mimeType: string
  accepts: { amount: string }[]
  extensions: { bazaar: Described }
}

/** Checks the description of the action's input, and the example against its own schema. */
function assertDescribes({ info, schema }: Described, name: string): void {
  const action = ACTIONS.find((one) => one.name === name)!
  assert.deepEqual([info.input.method, info.input.body], ['POST', action.example.request])
  const validate = new Ajv2020({ strict: false }).compile(schema)
  assert.ok(validate(info), JSON.stringify(validate.errors))
  assert.ok(!validate({ ...info, input: { ...info.input, body: 'none' } }), 'the schema refuses something')
}

test('402 a paid action is answered with its price, in the header and in the body (contract 4.7, rule 1; 4.7, Headers of 4.7: PAYMENT-REQUIRED; 4.7, Answers of 4.7: paid action, no payment; 9, rule 2; 7, Status codes: 402)', async (t) => {
  const { call, post, url } = await openShop(t, { BASE_URL: 'https://rpc.example' })
  const reply = await call('work_generate', { hash: newHash() }, { host: 'evil.example' })
  assert.equal(reply.status, 402)
  const error = 'PAYMENT-SIGNATURE header is required'
  const { extensions, ...required } = requiredOf(reply)
  row(
    '2, Payment requirements: x402Version, error, scheme, network, amount, asset, payTo, maxTimeoutSeconds, resource, accepts[]',
    () => assert.deepEqual(required, { x402Version: 2, error, ...TERMS, resource: RESOURCE, accepts: [TERMS] }),
  )
  row('2, Payment requirements: extensions', () =>
    assertDescribes(extensions.bazaar as unknown as Described, 'work_generate'),
  )
  const body = { error: 'Payment required', message: 'Payment required', code: 'payment_required', x402Version: 2 }
  assert.deepEqual(reply.json(), { ...body, accepts: [TERMS] })
  assert.match(String(reply.headers['payment-required']), /^[A-Za-z0-9+/]+={0,2}$/, 'the standard alphabet')
  assert.ok(String(reply.headers['payment-required']).length < 2_500)
  assert.equal(reply.headers['payment-response'], undefined)
  const misspelt = await call('work_generate', { hash: newHash(), dificulty: '1' })
  // Reported before the payment.
  assert.deepEqual([misspelt.status, misspelt.headers['x-ignored-fields']], [402, 'dificulty'])
  assert.equal(reply.headers['cache-control'], 'no-store')
  assert.match(String(reply.headers['access-control-expose-headers']), /PAYMENT-REQUIRED, PAYMENT-RESPONSE/)
  const preflight = await ask(url, { method: 'OPTIONS' })
  const allowed = String(preflight.headers['access-control-allow-headers'])
  assert.match(allowed, /payment-signature/)
  // @x402/fetch sends this header on the paid request by mistake.
  assert.match(allowed, /access-control-expose-headers/)
  // The price can be requested without parameters, and an empty payment counts as none.
  assert.deepEqual((await call('work_generate')).json(), reply.json())
  const empty = await call('work_generate', { hash: newHash() }, { 'payment-signature': '' })
  assert.equal(empty.json().code, 'payment_required')
  const unread = await post('{"action":"work_generate"')
  assert.deepEqual([unread.status, unread.headers['payment-required']], [400, undefined])
})

test('200 for the exact payment of the identical body: the work, the receipt, and nothing else for the payer (contract 4.7, rules 2, 3, 4, 7 and 9; 4.7, Answers of 4.7: success; 4.7, Headers of 4.7: PAYMENT-SIGNATURE, PAYMENT-RESPONSE)', async (t) => {
  const { call, post, url, node, app } = await openShop(t, {
    FREE_WORK_ANONYMOUS_PER_HOUR: '1',
    X402_ACTIONS: 'work_generate,account_weight',
  })
  const admin = { authorization: `Bearer ${app.createdKey}` }
  const read = async (path: string) => (await ask(`${url}${path}`, { method: 'GET', headers: admin })).text
  const accounts = await read('/api/accounts')
  const payer = await openPayer(node)
  for (let at = 0; at < 3; at++) {
    const hash = newHash()
    const body = JSON.stringify({ action: 'work_generate', hash })
    const { accepts } = requiredOf(await post(body))
    const block = paymentBlock(node, payer)
    // Optional fields of the protocol that the gateway does not need.
    const optional = { resource: RESOURCE, extensions: { a: { b: 1 } } }
    const header = encode(payloadOf(block, { accepted: accepts[0]!, top: optional }))
    const reply = await post(body, { 'payment-signature': header })
    assert.equal(reply.status, 200, reply.text)
    const { work, credits } = reply.json<{ work: string; credits: number }>()
    assert.ok(workValue(hash, work) >= WORK_THRESHOLDS.dev.send)
    assert.equal(credits, 0)
    assert.match(String(reply.headers['payment-response']), /^[A-Za-z0-9+/]+={0,2}$/)
    assert.deepEqual(responseOf(reply), receiptOf(block, payer))
    assert.equal(reply.headers['payment-required'], undefined)
    assert.equal(reply.headers['idempotent-replayed'], undefined)
    // The payment is final on the ledger before the request is served.
    const info = (await call('block_info', { hash: hashBlock(block), json_block: 'true' })).json<Info>()
    assert.deepEqual([info.amount, info.confirmed, info.contents.link_as_account], [`${PRICE}`, 'true', SHOP.address])
  }
  assert.equal(paymentsOnLedger(node), 3)
  // A payment for one action may be used for another with the same price, whatever the payload calls it.
  await call('account_weight', { account: SHOP.address })
  const elsewhere = { resource: { ...RESOURCE, url: 'https://elsewhere.example/', description: 'account_weight' } }
  const header = encode(payloadOf(paymentBlock(node, payer), { top: elsewhere }))
  assert.equal((await call('work_generate', { hash: newHash() }, { 'payment-signature': header })).status, 200)

  assert.equal(await read('/api/accounts'), accounts, 'no account was made')
  assert.equal((await call('rpc_credits', {}, admin)).json<{ credits: number }>().credits, 0)
  const after = await call('rpc_credits', {}, signed(paymentBlock(node, payer)))
  assert.deepEqual([after.status, after.headers['payment-response']], [401, undefined], 'it is no key either')
})

// Contract 5, rule 8: with any credential, even an invalid one, the request is authenticated as usual and the payment stays unused.
test('any credential skips the payment, and an empty one does not (contract 5, rule 8; 4.7, rule 17)', async (t) => {
  const { call, node, app, url } = await openShop(t)
  const payer = await openPayer(node)
  const header = signed(paymentBlock(node, payer))
  const hash = newHash()
  const wrong = [{ authorization: 'Bearer x' }, { authorization: 'nonsense' }, { key: 'x' }, { 'x-api-key': 'x' }]
  for (const credential of wrong) {
    for (const payment of [header, {}]) {
      const reply = await call('work_generate', { hash }, { ...payment, ...credential })
      assert.deepEqual([reply.status, reply.json().code], [401, 'invalid_key'])
      for (const name of ['payment-response', 'payment-required']) assert.equal(reply.headers[name], undefined)
    }
  }
  assert.equal((await call('work_generate', { hash, key: 'x' }, header)).status, 401)
  const body = JSON.stringify({ action: 'work_generate', hash })
  assert.equal((await ask(`${url}/?key=x`, { body, headers: header })).status, 401, 'in the query')

  const key = await call('work_generate', { hash }, { ...header, authorization: `Bearer ${app.createdKey}` })
  assert.equal(key.status, 200)
  assert.equal(key.headers['payment-response'], undefined)
  assert.equal(paymentsOnLedger(node), 0)

  const empty = [{ authorization: '' }, { authorization: 'Bearer ' }, { key: '' }, { 'x-api-key': ' ' }]
  for (const credential of empty) assert.equal((await call('work_generate', { hash }, credential)).status, 402)
  assert.equal((await call('work_generate', { hash, key: '' })).status, 402)
  const paid = await call('work_generate', { hash: newHash(), key: '' }, { ...header, authorization: 'Bearer ' })
  assert.equal(paid.status, 200, paid.text)
})

test('only what is listed has a price, the list may be empty, and programs can read it (contract 4.7, rule 5; 4.7, Other endpoints of 4.7: GET /.well-known/x402)', async (t) => {
  const shops = [
    await openShop(t, { BASE_URL: 'https://rpc.example', X402_NETWORK: 'nano:dev' }),
    await openShop(t, { X402_ACTIONS: 'account_info=0.01 nano, work_generate', X402_PRICE: '7 raw' }),
    await openShop(t, { X402_ACTIONS: '' }),
  ] as const
  const [byDefault, listed, nothing] = shops
  const forSale = async ({ url }: (typeof shops)[number]) => {
    const reply = await ask(`${url}/.well-known/x402`, { method: 'GET' })
    assert.equal(reply.status, 200)
    return reply.json<{ items: Item[] }>()
  }
  const resource = 'https://rpc.example/actions/work_generate'
  const sold = { resource, type: 'http', method: 'POST', x402Version: 2, body: { action: 'work_generate' } }
  const { items, ...shop } = await forSale(byDefault)
  assert.deepEqual(shop, { version: 1, x402Version: 2, resources: [resource] })
  const [{ extensions, description, mimeType, ...item } = assert.fail()] = items
  assert.deepEqual(item, { ...sold, accepts: [{ ...TERMS, network: 'nano:dev' }] })
  assert.deepEqual([description, mimeType], [workGenerate.summary, 'application/json'])
  assertDescribes(extensions.bazaar, 'work_generate')
  const account = SHOP.address
  assert.equal((await byDefault.call('account_balance', { account })).status, 200)

  assert.equal(requiredOf(await listed.call('account_info')).amount, (10n * PRICE).toString())
  assert.equal(requiredOf(await listed.call('work_generate')).amount, '7')
  assert.equal((await listed.call('account_balance', { account })).status, 200)
  assert.deepEqual(
    (await forSale(listed)).items.map(({ body, accepts }) => [body, accepts[0]!.amount]),
    [
      [{ action: 'account_info' }, (10n * PRICE).toString()],
      [{ action: 'work_generate' }, '7'],
    ],
  )
  assert.equal((await nothing.call('work_generate', { hash: newHash() })).status, 200)
  assert.deepEqual(await forSale(nothing), { version: 1, x402Version: 2, resources: [], items: [] })
})

test('programs that look for something to buy find each sold action at its own address, and pay there (contract 4.7, Other endpoints of 4.7: GET /discovery/resources; 4.7, rule 20)', async (t) => {
  const { url, node } = await openShop(t, { X402_ACTIONS: 'work_generate, version', X402_PRICE: '7 raw' })
  const discover = async (path: string) => {
    const reply = await ask(`${url}${path}`, { method: 'GET' })
    return { ...reply, json: () => reply.json<{ items: Item[]; pagination: object; field?: string }>() }
  }
  const { items, pagination } = (await discover('/discovery/resources')).json()
  assert.deepEqual((await discover('/facilitator/discovery/resources')).json().items, items)
  assert.deepEqual(pagination, { limit: 100, offset: 0, total: 2 })
  assertDescribes(items[0]!.extensions.bazaar, 'work_generate')
  assert.deepEqual((await discover('/discovery/resources?limit=1&offset=1&scheme=exact')).json().items, [items[1]])
  const elsewhere = ['type=mcp', 'network=nano:elsewhere', 'extensions=constructor', `payTo=${new Signer(5).address}`]
  for (const nothing of elsewhere) {
    assert.deepEqual((await discover(`/discovery/resources?${nothing}`)).json().items, [], nothing)
  }
  for (const wrong of ['limit=0', 'limit=101', 'offset=-1', 'type=a&type=b']) {
    const refused = await discover(`/discovery/resources?${wrong}`)
    assert.deepEqual([refused.status, refused.json().field], [400, wrong.split('=')[0]], wrong)
  }
  const { resource } = items[0]!
  const body = JSON.stringify({ hash: newHash() })
  const asked = await ask(resource, { body })
  assert.equal(asked.status, 402)
  const block = paymentBlock(node, await openPayer(node), 7n)
  const header = encode(payloadOf(block, { accepted: requiredOf(asked).accepts[0]! }))
  const paid = await ask(resource, { body, headers: { 'payment-signature': header } })
  assert.equal(paid.status, 200, paid.text)
})

/** The checks of the scheme proposed to the x402 Foundation (pull request 3432), in its order, on a client's payment. */
async function checkAsProposed(payment: Proposed, terms: { payTo: string; amount: string }, node: LedgerNode) {
  const { block } = payment.payload
  assert.equal(payment.x402Version, 2)
  const members = 'account balance link link_as_account previous representative signature type work'
  assert.deepEqual(Object.keys(block).sort(), members.split(' '))
  const paid = readPaymentBlock(block)!
  assert.equal(checkSignatureAndWork(paid, WORK_THRESHOLDS.dev.send), undefined, 'its signature and its work')
  assert.deepEqual([block.type, block.link_as_account], ['state', terms.payTo])
  const { previous: hash, balance } = frontierOf(node, fromAddress(block.account!)!)
  assert.equal(block.previous, hash)
  assert.equal(balance - BigInt(block.balance!), BigInt(terms.amount))
}
interface Info {
  amount: string
  confirmed: string
  contents: { link_as_account: string }
}
interface Proposed {
  x402Version: number
  payload: { block: Record<string, string> }
}

test('payments of our client follow the proposed scheme for Nano, and payments in its form are accepted (contract 4.7, rule 7)', async (t) => {
  const { call, node, url } = await openShop(t)
  const payer = await openPayer(node)
  const [terms = assert.fail()] = requiredOf(await call('work_generate')).accepts
  const scheme = exactNano({ privateKey: payer.privateKey, rpcUrl: url })
  const payment = await scheme.createPaymentPayload(2, terms)
  await checkAsProposed(payment, terms, node)
  // All fields of the proposal's own example, in its order.
  const form = { x402Version: 2, resource: RESOURCE, accepted: terms, payload: payment.payload, extensions: {} }
  const reply = await call('work_generate', { hash: newHash() }, { 'payment-signature': encode(form) })
  assert.equal(reply.status, 200, reply.text)
})

test('every challenge fits into what proxies allow for headers (contract 4.7, rule 20)', () => {
  const sellable = ACTIONS.filter(({ auth, once, onceWhen }) => auth === 'none' && !once && !onceWhen)
  assert.ok(sellable.length > 40)
  for (const action of sellable) {
    const bytes = JSON.stringify(describeBriefly({ action, price: { raw: 1n as Raw } })).length
    assert.ok(bytes < 1_400, `${action.name}: ${bytes}`)
  }
})

test('a price that was reported is good for five minutes after it has changed, and no other is (contract 4.7, rules 7 and 16)', async (t) => {
  const clock = new TestClock()
  const ledger = await openDevnet(t)
  const nodes = { NODE_URLS: ledger.rpcUrl, NODE_WS_URLS: ledger.wsUrl, NODE_NETWORK: 'dev' }
  const env = { ...sharedKeys(), ...nodes, DATABASE_URL: await freshUrl(t, 'sqlite'), X402_PAY_TO: SHOP.address }
  const payer = await openPayer(ledger.node)
  const before = await openGateway(t, { ...env, X402_PRICE: '5 raw' }, clock)
  assert.equal(requiredOf(await before.call('work_generate')).amount, '5')
  await before.app.close()
  const { call } = await openGateway(t, { ...env, X402_PRICE: '9 raw' }, clock)
  assert.equal(requiredOf(await call('work_generate')).amount, '9')
  // The wait for a confirmation follows the test clock, which advances in real time meanwhile.
  const pay = async (amount: bigint) => {
    const block = paymentBlock(ledger.node, payer, amount)
    const headers = { 'payment-signature': encode(payloadOf(block, { accepted: { amount: `${amount}` } })) }
    const timer = setInterval(() => clock.advance(10), 10)
    return call('work_generate', { hash: newHash() }, headers).finally(() => clearInterval(timer))
  }
  const told = clock.now()
  assertRefused(await pay(6n), 'invalid_payment_requirements')
  clock.advance(2 * 60_000)
  const reply = await pay(5n)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(responseOf(reply).success, true)
  clock.advance(told + 5 * 60_000 - clock.now())
  const late = await pay(5n)
  assertRefused(late, 'invalid_payment_requirements')
  assert.equal(requiredOf(late).amount, '9', 'with what it costs now')
  assert.equal((await pay(9n)).status, 200)
})
