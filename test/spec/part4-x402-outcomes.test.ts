import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashBlock } from '../../src/kernel/nano/block.ts'
import { Signer, frontierOf, publish } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { openGateway } from '../support/gateway.ts'
import { newHash } from '../support/random.ts'
import { until } from '../support/until.ts'
import { openFacilitator } from '../support/scripted-facilitator.ts'
import {
  SHOP,
  TERMS,
  assertPending,
  assertRefused,
  openFaultyShop,
  openPayer,
  paymentBlock,
  paymentsOnLedger,
  receiptOf,
  requiredOf,
  responseOf,
  signed,
} from '../support/x402-steps.ts'
import { row } from './row.ts'

/* Contract 4.7: what happens to a presented payment, and what its payer is told. */

test('the same payment with the same request gets the stored answer for a day, pays for nothing else, and is never charged again (contract 4.7, rules 10 and 19; 4.7, Answers of 4.7: stored result; 4.7, Reasons of 4.7: duplicate_settlement)', async (t) => {
  const clock = new TestClock()
  const env = { X402_ACTIONS: 'work_generate,account_weight' }
  const { call, post, node, upstream } = await openFaultyShop(t, { env, clock })
  const payer = await openPayer(node)
  const block = paymentBlock(node, payer)
  const hash = newHash()
  const ask = () => call('work_generate', { hash, subtype: 'send' }, signed(block))
  const timer = setInterval(() => clock.advance(10), 10)
  const first = await ask().finally(() => clearInterval(timer))
  assert.equal(first.status, 200, first.text)
  // The order of the fields does not matter.
  const again = await post(`{"subtype":"send", "hash":"${hash}","action":"work_generate"}`, signed(block))
  assert.deepEqual([again.status, again.text], [200, first.text])
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(again.headers['payment-response'], first.headers['payment-response'])
  assert.deepEqual(responseOf(again), receiptOf(block, payer))
  const other = await call('work_generate', { hash: newHash() }, signed(block))
  assertRefused(other, 'duplicate_settlement')
  assert.equal(other.json().error, 'This block was used for another request.')
  assertRefused(await call('account_weight', { account: SHOP.address }, signed(block)), 'duplicate_settlement')

  clock.leap(24 * 3_600_000 - 60_000)
  const kept = await ask()
  assert.deepEqual([kept.text, kept.headers['idempotent-replayed']], [first.text, 'true'])
  // Old answers are deleted once an hour.
  clock.leap(60_000)
  let last = await ask()
  await until(async () => {
    if (last.status !== 200) return true
    clock.leap(10 * 60_000)
    last = await ask()
    return false
  })
  assertRefused(last, 'duplicate_settlement')
  assert.equal(last.json().error, 'This block was already used and its result is no longer stored.')
  assert.deepEqual([upstream.hits('process'), paymentsOnLedger(node)], [1, 1])
})

test('402 what the ledger definitely refuses is reported with both headers, and its payer can pay again (contract 4.7, Answers of 4.7: the ledger definitely refused the block; 4.7, Reasons of 4.7: invalid_transaction_state)', async (t) => {
  const { call, node, upstream } = await openFaultyShop(t)
  const payer = await openPayer(node)
  const block = paymentBlock(node, payer)
  const hash = newHash()
  // The account changes between the check and the broadcast.
  const release = upstream.hold('account_info')
  const asked = call('work_generate', { hash }, signed(block))
  await until(() => upstream.hits('account_info') > 0)
  await publish(node, payer.send(frontierOf(node, payer.key), new Signer(903).key, 1n))
  release()
  const reply = await asked
  assert.equal(reply.status, 402, reply.text)
  const { error, message, code, accepts } = reply.json<Record<string, unknown>>()
  const text = 'The ledger refused the block.'
  assert.deepEqual([error, message, code, accepts], [text, text, 'invalid_transaction_state', [TERMS]])
  assert.equal(requiredOf(reply).error, 'invalid_transaction_state')
  assert.deepEqual(responseOf(reply), {
    success: false,
    errorReason: 'invalid_transaction_state',
    errorMessage: 'Fork',
    transaction: '',
    network: TERMS.network,
  })
  assert.equal(paymentsOnLedger(node), 0)
  assert.equal((await call('work_generate', { hash }, signed(paymentBlock(node, payer)))).status, 200)
})

test('503 not confirmed within maxTimeoutSeconds is open; confirmed later, the same request is served without another broadcast (contract 4.7, rules 4, 8 and 13; 4.7, Answers of 4.7: outcome unknown, or not confirmed in time; 8, Other areas: confirmation wait; 7, Status codes: 503; 7, rules 2 and 3)', async (t) => {
  const { call, node, upstream } = await openFaultyShop(t, { env: { X402_TIMEOUT_SECONDS: '1' } })
  const payer = await openPayer(node)
  node.hold()
  const block = paymentBlock(node, payer)
  const hash = newHash()
  const { maxTimeoutSeconds } = requiredOf(await call('work_generate', { hash }))
  assert.equal(maxTimeoutSeconds, 1)
  const startedAt = performance.now()
  const open = await call('work_generate', { hash }, signed(block))
  row('4.7, Reasons of 4.7: settlement_pending', () => assert.equal(open.json().code, 'settlement_pending'))
  assertPending(open, block)
  assert.ok(performance.now() - startedAt >= 1_000, 'it has waited for as long as it said')
  assertPending(await call('work_generate', { hash }, signed(block)), block)
  assert.equal(upstream.hits('work_generate'), 0, 'nothing is served before it is final')
  node.ledger.confirm(hashBlock(block))
  const reply = await call('work_generate', { hash }, signed(block))
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(responseOf(reply), receiptOf(block, payer))
  assert.equal(upstream.hits('process'), 1)
})

test('an action that fails after the settlement answers with its own status and the receipt, and can be repeated (contract 4.7, rules 6 and 15; 4.7, Answers of 4.7: action failed after settlement)', async (t) => {
  const { call, node, upstream } = await openFaultyShop(t, { env: { X402_ACTIONS: 'account_weight' } })
  const payer = await openPayer(node)
  const block = paymentBlock(node, payer)
  await upstream.behave('status 500', { actions: ['account_weight'] })
  const ask = () => call('account_weight', { account: payer.address }, signed(block))
  const failed = await ask()
  assert.deepEqual([failed.status, failed.json().code], [502, 'no_node'])
  assert.match(failed.json().error!, /The payment is settled: send the same request again/)
  assert.deepEqual(responseOf(failed), receiptOf(block, payer))
  assert.equal(failed.headers['payment-required'], undefined)
  assert.equal(paymentsOnLedger(node), 1, 'nothing goes back by itself')
  await upstream.behave('none')
  const reply = await ask()
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.json().weight, '0')
  assert.equal(upstream.hits('process'), 1)
})

test('503 while no node answers nothing is charged or given away; a broadcast whose outcome is lost stays open, and the same request goes on with it (contract 4.7, rule 13; 4.7, Answers of 4.7: node or facilitator unreachable before the broadcast, outcome unknown, or not confirmed in time; 4.7, Reasons of 4.7: unexpected_verify_error)', async (t) => {
  const { call, node, upstream, log } = await openFaultyShop(t)
  const payer = await openPayer(node)
  const block = paymentBlock(node, payer)
  const hash = newHash()
  await upstream.behave('dead')
  const reply = await call('work_generate', { hash }, signed(block))
  assert.equal(reply.status, 503, reply.text)
  const error = 'Payments cannot be verified right now. Nothing was charged; try again.'
  const retryAfter = Number(reply.headers['retry-after'])
  assert.ok(retryAfter > 0)
  assert.deepEqual(reply.json(), { error, message: error, code: 'payment_unavailable', retry_after: retryAfter })
  assert.equal(reply.headers['payment-required'], undefined)
  const failure = { success: false, errorReason: 'unexpected_verify_error', transaction: '', network: TERMS.network }
  assert.deepEqual(responseOf(reply), failure)
  assert.equal((await call('work_generate', { hash })).status, 402, 'the price is told all the same')
  assert.match(log(), /"reason":"No node available/, 'the operator learns what is away')
  await upstream.behave('none')
  await until(async () => (await call('work_generate', { hash }, signed(block))).status === 200)
  assert.equal(paymentsOnLedger(node), 1)

  const lost = paymentBlock(node, payer)
  const root = newHash()
  const ask = () => call('work_generate', { hash: root }, signed(lost))
  await upstream.behave('request lost', { actions: ['process'] })
  assertPending(await ask(), lost)
  await upstream.behave('none')
  const found = await ask()
  assert.equal(found.status, 200, found.text)
  assert.equal(paymentsOnLedger(node), 2)
})

test('a facilitator elsewhere settles, and our node has the last word (contract 4.7, rule 4; 4.7, Answers of 4.7: node or facilitator unreachable before the broadcast; 4.7, Reasons of 4.7: insufficient_funds, unexpected_verify_error)', async (t) => {
  const { url: honest, node, upstream } = await openFaultyShop(t)
  const facilitator = await openFacilitator(t, honest)
  const { call } = await openGateway(t, {
    NODE_URLS: upstream.url,
    NODE_NETWORK: 'dev',
    X402_PAY_TO: SHOP.address,
    X402_TIMEOUT_SECONDS: '3',
    X402_FACILITATOR_URL: `${facilitator.url}/facilitator`,
  })
  const payer = await openPayer(node)
  const block = paymentBlock(node, payer)
  const hash = newHash()
  const ask = () => call('work_generate', { hash }, signed(block))

  facilitator.verify = () => ({ isValid: false, invalidReason: 'node_unavailable' })
  const away = await ask()
  assert.deepEqual([away.status, away.json().code], [503, 'payment_unavailable'])
  assert.equal(responseOf(away).errorReason, 'unexpected_verify_error')
  facilitator.verify = () => 'honest'
  facilitator.settle = () => ({ success: false, errorReason: 'insufficient_funds', transaction: '', network: 'x' })
  const poor = await ask()
  assert.deepEqual([poor.status, poor.json().code], [402, 'invalid_transaction_state'], poor.text)
  const refusal = { success: false, errorReason: 'insufficient_funds', transaction: '', network: TERMS.network }
  assert.deepEqual(responseOf(poor), refusal)
  facilitator.settle = () => ({ success: true, transaction: hashBlock(block), network: TERMS.network })
  assertPending(await ask(), block)
  assert.equal(paymentsOnLedger(node), 0)
  facilitator.settle = () => 'honest'
  const reply = await ask()
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(responseOf(reply), receiptOf(block, payer))
  assert.equal(paymentsOnLedger(node), 1)
})
