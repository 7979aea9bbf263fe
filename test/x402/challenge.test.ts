import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { Registry } from '../../src/guard/registry.ts'
import { accounts } from '../../src/modules/accounts/index.ts'
import { work } from '../../src/modules/work/index.ts'
import { readPrices } from '../../src/x402.ts'
import { ask } from '../support/gateway.ts'
import {
  PRICE,
  SHOP,
  TERMS,
  assertRefused,
  encode,
  newHash,
  openPayer,
  openShop,
  paymentBlock,
  payloadOf,
  paymentsOnLedger,
  requiredOf,
  signed,
} from './world.ts'

test('402 what has a price is answered with the price, in the header and in the body (contract 4.7, rule 1; 2, Payment requirements; 4.7, Headers of 4.7: PAYMENT-REQUIRED; 4.7, Answers of 4.7: paid action, no payment; 9, rule 2; 7, Status codes: 402)', async (t) => {
  const { call, url } = await openShop(t, { BASE_URL: 'https://rpc.example' })
  const reply = await call('work_generate', { hash: newHash() }, { host: 'evil.example' })
  assert.equal(reply.status, 402)
  const resource = { url: 'https://rpc.example/', description: 'work_generate', mimeType: 'application/json' }
  assert.deepEqual(requiredOf(reply), {
    x402Version: 2,
    error: 'PAYMENT-SIGNATURE header is required',
    ...TERMS,
    resource,
    accepts: [TERMS],
  })
  assert.deepEqual(reply.json(), {
    error: 'Payment required',
    message: 'Payment required',
    code: 'payment_required',
    x402Version: 2,
    accepts: [TERMS],
  })
  assert.ok(String(reply.headers['payment-required']).length < 2_500)
  assert.equal(reply.headers['cache-control'], 'no-store')
  assert.match(String(reply.headers['access-control-expose-headers']), /PAYMENT-REQUIRED, PAYMENT-RESPONSE/)
  const preflight = await ask(url, { method: 'OPTIONS' })
  const allowed = String(preflight.headers['access-control-allow-headers'])
  assert.match(allowed, /payment-signature/)
  // @x402/fetch sends it on the paid request, by mistake.
  assert.match(allowed, /access-control-expose-headers/)
})

test('402 the price can be asked for without parameters, and an empty payment is none', async (t) => {
  const { call } = await openShop(t)
  assert.equal((await call('work_generate')).json().code, 'payment_required')
  const empty = await call('work_generate', { hash: newHash() }, { 'payment-signature': '' })
  assert.equal(empty.json().code, 'payment_required')
})

// Contract 5, rule 8: even an invalid credential leads to normal authentication, and the payment stays unused.
test('any credential skips the payment, and an empty one does not (contract 5, rule 8; 4.7, rule 17)', async (t) => {
  const gateway = await openShop(t)
  const { call, node, app, url } = gateway
  const payer = await openPayer(node)
  const header = signed(paymentBlock(node, payer))
  const hash = newHash()
  const wrong = [
    { authorization: 'Bearer nonsense' },
    { authorization: 'nonsense' },
    { key: 'x' },
    { 'x-api-key': 'x' },
  ]
  for (const credential of wrong) {
    const reply = await call('work_generate', { hash }, { ...header, ...credential })
    assert.deepEqual([reply.status, reply.json().code], [401, 'invalid_key'])
    assert.equal(reply.headers['payment-response'], undefined)
  }
  assert.equal((await call('work_generate', { hash, key: 'x' }, header)).status, 401)
  const inQuery = await ask(`${url}/?key=x`, {
    body: JSON.stringify({ action: 'work_generate', hash }),
    headers: header,
  })
  assert.equal(inQuery.status, 401)

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

test('only what is listed has a price, the list may be empty, and without an address nothing is sold (contract 4.7, rule 5)', async (t) => {
  const listed = await openShop(t, { X402_ACTIONS: 'account_info=0.01 nano, work_generate', X402_PRICE: '7 raw' })
  assert.equal(requiredOf(await listed.call('account_info')).amount, (10n * PRICE).toString())
  assert.equal(requiredOf(await listed.call('work_generate')).amount, '7')
  const free = await listed.call('account_balance', { account: SHOP.address })
  assert.equal(free.status, 200)
  const nothing = await openShop(t, { X402_ACTIONS: '' })
  assert.equal((await nothing.call('work_generate', { hash: newHash() })).status, 200)
  const off = await openShop(t, { X402_PAY_TO: '' })
  assert.equal((await off.call('work_generate', { hash: newHash() })).status, 200)
})

test('a payment for a price that has just changed is accepted, and one nobody was offered is not (contract 4.7, rules 7 and 16)', async (t) => {
  const { call, node, app } = await openShop(t)
  const payer = await openPayer(node)
  const { db } = app.store
  const offered = { action: 'work_generate', pay_to: SHOP.address, amount_raw: '5' }
  const later = systemNow() + 60_000
  await db
    .insertInto('x402_offers')
    .values({ ...offered, expires_at: later })
    .execute()
  const block = paymentBlock(node, payer, 5n)
  const pay = (amount: string) => ({ 'payment-signature': encode(payloadOf(block, { accepted: { amount } })) })
  assertRefused(await call('work_generate', { hash: newHash() }, pay('6')), 'invalid_payment_requirements')
  const reply = await call('work_generate', { hash: newHash() }, pay('5'))
  assert.equal(reply.status, 200, reply.text)

  await db.updateTable('x402_offers').set({ expires_at: systemNow() }).where('amount_raw', '=', '5').execute()
  const late = { 'payment-signature': encode(payloadOf(paymentBlock(node, payer, 5n), { accepted: { amount: '5' } })) }
  assertRefused(await call('work_generate', { hash: newHash() }, late), 'invalid_payment_requirements')
})

const systemNow = () => Date.now()

test('a price that nobody can pay, or a thing that cannot be sold, is told at the start', () => {
  const registry = new Registry([accounts, work])
  const read = (env: Record<string, string>, rates?: Parameters<typeof readPrices>[2]) =>
    readPrices(loadConfig({ X402_PAY_TO: SHOP.address, ...env }), registry, rates)
  assert.throws(() => read({ X402_ACTIONS: 'make_coffee' }), /X402_ACTIONS names make_coffee, which is no action/)
  assert.throws(() => read({ X402_ACTIONS: 'rpc_credits' }), /rpc_credits, which needs an API key/)
  assert.throws(() => read({ X402_PRICE: '1 USD' }), /in USD, and there is no source of prices/)
  assert.throws(() => loadConfig({ X402_PRICE: '0.001' }), /X402_PRICE must be an amount with its unit/)
  assert.throws(() => loadConfig({ X402_PRICE: '0 nano' }), /X402_PRICE/)
  assert.throws(() => loadConfig({ X402_PAY_TO: 'nano_1' }), /X402_PAY_TO must be a Nano address/)
  assert.throws(() => loadConfig({ X402_NETWORK: 'mainnet' }), /X402_NETWORK must look like nano:mainnet/)
  const rates = { currencies: ['USD'], rate: async () => ({ rate: '2', source: 'test', at: 0 }) }
  assert.deepEqual(read({ X402_PRICE: '1 USD' }, rates).get('work_generate'), { currency: 'USD', value: '1' })
})

test('what is for sale is listed for programs (contract 4.7, Other doors of 4.7: GET /.well-known/x402)', async (t) => {
  const { url } = await openShop(t, { BASE_URL: 'https://rpc.example', X402_NETWORK: 'nano:dev' })
  const reply = await ask(`${url}/.well-known/x402`, { method: 'GET' })
  assert.equal(reply.status, 200)
  const resource = 'https://rpc.example/'
  const sold = { resource, type: 'http', method: 'POST', x402Version: 2, body: { action: 'work_generate' } }
  const accepts = [{ ...TERMS, network: 'nano:dev' }]
  assert.deepEqual(reply.json(), { version: 1, x402Version: 2, resources: [resource], items: [{ ...sold, accepts }] })
  const off = await openShop(t, { X402_PAY_TO: '' })
  const nothing = await ask(`${off.url}/.well-known/x402`, { method: 'GET' })
  assert.deepEqual(nothing.json(), { version: 1, x402Version: 2, resources: [], items: [] })
})
