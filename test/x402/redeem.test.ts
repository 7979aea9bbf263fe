import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import type { StateBlock } from '../../src/kernel/nano/block.ts'
import { fingerprintOf } from '../../src/guard/once.ts'
import { findPayment, insertClaim, markState } from '../../src/modules/x402/store.ts'
import { Signer, frontierOf, publish } from '../support/blocks.ts'
import { type Gateway, type Reply, openGateway, sharedKeys } from '../support/gateway.ts'
import { openDevnet } from '../support/devnet.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { createDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import {
  PRICE,
  SHOP,
  TERMS,
  assertRefused,
  newHash,
  openFaultyShop,
  openPayer,
  paymentBlock,
  paymentsOnLedger,
  requiredOf,
  responseOf,
  signed,
} from './world.ts'

const SUCCESS = (block: StateBlock, payer: Signer) => ({
  success: true,
  transaction: hashBlock(block),
  network: 'nano:mainnet',
  payer: payer.address,
})

/** Open: neither paid nor refused, as far as anybody knows. The client must not pay again. */
function assertPending(reply: Reply, block: StateBlock): void {
  assert.equal(reply.status, 503, reply.text)
  const body = reply.json<Record<string, unknown>>()
  assert.equal(body.code, 'settlement_pending')
  assert.equal(body.transaction, hashBlock(block))
  assert.match(String(body.error), /Do not pay again: send the same request again/)
  assert.equal(reply.headers['payment-required'], undefined)
  assert.ok(Number(reply.headers['retry-after']) > 0)
  assert.equal(body.retry_after, Number(reply.headers['retry-after']))
  const { success, errorReason, transaction } = responseOf(reply)
  assert.deepEqual([success, errorReason, transaction], [false, 'settlement_pending', hashBlock(block)])
}

const stateOf = async ({ app }: Pick<Gateway, 'app'>, block: StateBlock) =>
  (await findPayment(app.store.db, hashBlock(block)))?.state

test('200 the answer comes with the receipt, and costs no free quota and no credits (contract 4.7, rules 4 and 9; 4.7, Answers of 4.7: success; 4.7, Headers of 4.7: PAYMENT-RESPONSE)', async (t) => {
  const { call, node, app } = await openFaultyShop(t, { env: { FREE_WORK_ANONYMOUS_PER_HOUR: '1' } })
  const payer = await openPayer(node)
  for (let at = 0; at < 3; at++) {
    const block = paymentBlock(node, payer)
    const reply = await call('work_generate', { hash: newHash() }, signed(block))
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(responseOf(reply), SUCCESS(block, payer))
    assert.equal(reply.headers['payment-required'], undefined)
    assert.equal(reply.headers['idempotent-replayed'], undefined)
    assert.equal(await stateOf({ app }, block), 'served')
  }
  assert.deepEqual(await app.store.db.selectFrom('free_uses').selectAll().execute(), [])
})

test('eight parallel identical payments are one payment, one action and eight equal answers', async (t) => {
  const { call, node, upstream } = await openFaultyShop(t)
  const payer = await openPayer(node)
  const block = paymentBlock(node, payer)
  const hash = newHash()
  const replies = await Promise.all(Array.from({ length: 8 }, () => call('work_generate', { hash }, signed(block))))
  assert.equal(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1, replies[0]!.text)
  assert.equal(replies[0]!.status, 200)
  for (const reply of replies) assert.deepEqual(responseOf(reply), SUCCESS(block, payer))
  assert.equal(replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 7)
  assert.equal(upstream.hits('process'), 1)
  assert.equal(upstream.hits('work_generate'), 1)
})

test('the same payment with the same request gets the stored answer, in whatever order its members stand (contract 4.7, rule 10; 4.7, Answers of 4.7: stored result)', async (t) => {
  const { call, post, node, upstream } = await openFaultyShop(t)
  const payer = await openPayer(node)
  const block = paymentBlock(node, payer)
  const hash = newHash()
  const first = await call('work_generate', { hash, subtype: 'send' }, signed(block))
  const again = await post(`{"subtype":"send", "hash":"${hash}","action":"work_generate"}`, signed(block))
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.deepEqual(responseOf(again), SUCCESS(block, payer))
  assert.equal(upstream.hits('process'), 1)
})

test('402 the same block pays for no other request, even after the price has changed (contract 4.7, rule 10; 4.7, Reasons of 4.7: duplicate_settlement)', async (t) => {
  const { call, node, upstream } = await openFaultyShop(t, { env: { X402_ACTIONS: 'work_generate,account_weight' } })
  const payer = await openPayer(node)
  const block = paymentBlock(node, payer)
  assert.equal((await call('work_generate', { hash: newHash() }, signed(block))).status, 200)
  const other = await call('work_generate', { hash: newHash() }, signed(block))
  assertRefused(other, 'duplicate_settlement')
  assert.match(other.json().error!, /another request/)
  assertRefused(await call('account_weight', { account: SHOP.address }, signed(block)), 'duplicate_settlement')
  assert.equal(upstream.hits('process'), 1)
})

test('a payment is honoured after the price and the address have changed', async (t) => {
  const ledger = await openDevnet(t)
  const env = { ...sharedKeys(), NODE_URLS: ledger.rpcUrl, NODE_NETWORK: 'dev', DATABASE_URL: await createDatabase() }
  const before = await openGateway(t, { ...env, X402_PAY_TO: SHOP.address })
  const payer = await openPayer(ledger.node)
  const block = paymentBlock(ledger.node, payer)
  const hash = newHash()
  const first = await before.call('work_generate', { hash }, signed(block))
  assert.equal(first.status, 200)
  const after = await openGateway(t, { ...env, X402_PAY_TO: new Signer(902).address, X402_PRICE: '1 nano' })
  const again = await after.call('work_generate', { hash }, signed(block))
  assert.equal(again.text, first.text)
  assert.deepEqual(responseOf(again), SUCCESS(block, payer))
})

test('a remembered answer that somebody paid for is not given to others', async (t) => {
  const { call, node } = await openFaultyShop(t, { env: { X402_ACTIONS: 'account_balance' } })
  const payer = await openPayer(node)
  const account = SHOP.address
  for (let at = 0; at < 3; at++) {
    assert.equal((await call('account_balance', { account }, signed(paymentBlock(node, payer)))).status, 200)
  }
  assert.equal((await call('account_balance', { account })).status, 402)
})

test('402 of two blocks on one frontier exactly one pays', async (t) => {
  const { call, node } = await openFaultyShop(t)
  const payer = await openPayer(node)
  const frontier = frontierOf(node, payer.key)
  const forks = [1, 2, 3, 4].map((at) =>
    payer.send({ ...frontier, representative: new Signer(at).key }, SHOP.key, PRICE),
  )
  const replies = await Promise.all(forks.map((block) => call('work_generate', { hash: newHash() }, signed(block))))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 402, 402, 402])
  assert.equal(paymentsOnLedger(node), 1)
})

test('402 what the ledger definitely refuses is told with both headers, and its frontier is free again (contract 4.7, Answers of 4.7: the ledger definitely refused the block; 4.7, Reasons of 4.7: insufficient_funds, invalid_transaction_state)', async (t) => {
  const { call, node, upstream, app } = await openFaultyShop(t)
  const payer = await openPayer(node)
  const block = paymentBlock(node, payer)
  // The account moves on between our look at it and the broadcast.
  const release = upstream.hold('account_info')
  const asked = call('work_generate', { hash: newHash() }, signed(block))
  await until(() => upstream.hits('account_info') > 0)
  await publish(node, payer.send(frontierOf(node, payer.key), new Signer(903).key, 1n))
  release()
  const reply = await asked
  assert.equal(reply.status, 402, reply.text)
  assert.equal(reply.json().code, 'invalid_transaction_state')
  assert.equal(requiredOf(reply).error, 'invalid_transaction_state')
  const { success, errorReason, errorMessage, transaction } = responseOf(reply)
  assert.deepEqual([success, errorReason, errorMessage, transaction], [false, 'invalid_transaction_state', 'Fork', ''])
  assert.equal(await stateOf({ app }, block), 'rejected')
  assert.equal(paymentsOnLedger(node), 0)
})

test('200 a lost reply to the broadcast is made up for by a look at the ledger', async (t) => {
  const { call, node, upstream } = await openFaultyShop(t)
  const block = paymentBlock(node, await openPayer(node))
  await upstream.behave('reply lost', { actions: ['process'] })
  const reply = await call('work_generate', { hash: newHash() }, signed(block))
  assert.equal(reply.status, 200, reply.text)
  assert.equal(upstream.hits('process'), 1)
})

test('503 a broadcast nobody knows the outcome of stays open, and the same request goes on with it', async (t) => {
  const { call, node, upstream, app } = await openFaultyShop(t)
  const block = paymentBlock(node, await openPayer(node))
  const hash = newHash()
  await upstream.behave('request lost', { actions: ['process'] })
  assertPending(await call('work_generate', { hash }, signed(block)), block)
  assert.equal(await stateOf({ app }, block), 'pending')
  await upstream.behave('none')
  const reply = await call('work_generate', { hash }, signed(block))
  assert.equal(reply.status, 200, reply.text)
  assert.equal(paymentsOnLedger(node), 1)
})

test('503 not confirmed in time is open; confirmed later, the same request is served without another broadcast (contract 4.7, rules 8 and 13; 4.7, Answers of 4.7: outcome unknown, or not confirmed in time; 4.7, Reasons of 4.7: settlement_pending; 8, Other areas: confirmation wait; 7, Status codes: 503; 7, rule 3)', async (t) => {
  const env = { X402_TIMEOUT_SECONDS: '1' }
  const shop = await openFaultyShop(t, { env, devnet: { confirmAfterMilliseconds: 3_600_000 } })
  const { call, node, upstream, ledger } = shop
  const payer = await openPayer(node)
  const block = paymentBlock(node, payer)
  const hash = newHash()
  assertPending(await call('work_generate', { hash }, signed(block)), block)
  assertPending(await call('work_generate', { hash }, signed(block)), block)
  assert.equal(upstream.hits('work_generate'), 0, 'nothing is served before it is final')
  ledger.node.ledger.confirm(hashBlock(block))
  const reply = await call('work_generate', { hash }, signed(block))
  assert.equal(reply.status, 200, reply.text)
  assert.equal(upstream.hits('process'), 1)
})

test('an action that fails after the settlement answers with its own status and the receipt, and can be repeated (contract 4.7, rules 6 and 15; 4.7, Answers of 4.7: action failed after settlement)', async (t) => {
  const { call, node, upstream, app } = await openFaultyShop(t, { env: { X402_ACTIONS: 'account_weight' } })
  const payer = await openPayer(node)
  const block = paymentBlock(node, payer)
  await upstream.behave('status 500', { actions: ['account_weight'] })
  const ask = () => call('account_weight', { account: payer.address }, signed(block))
  const failed = await ask()
  assert.deepEqual([failed.status, failed.json().code], [502, 'no_node'])
  assert.match(failed.json().error!, /The payment is settled: send the same request again/)
  assert.deepEqual(responseOf(failed), SUCCESS(block, payer))
  assert.equal(failed.headers['payment-required'], undefined)
  assert.equal(await stateOf({ app }, block), 'action_failed')
  await upstream.behave('none')
  const reply = await ask()
  assert.equal(reply.status, 200, reply.text)
  assert.equal(upstream.hits('process'), 1)
})

test('503 while no node answers nothing is charged, and nothing is given away (contract 4.7, Answers of 4.7: node or facilitator unreachable before the broadcast; 4.7, Reasons of 4.7: unexpected_verify_error)', async (t) => {
  const { call, node, upstream, app, log } = await openFaultyShop(t)
  const block = paymentBlock(node, await openPayer(node))
  const hash = newHash()
  await upstream.behave('dead')
  const reply = await call('work_generate', { hash }, signed(block))
  assert.equal(reply.status, 503, reply.text)
  assert.equal(reply.json().code, 'payment_unavailable')
  assert.ok(Number(reply.headers['retry-after']) > 0)
  assert.equal(reply.headers['payment-required'], undefined)
  const failure = { success: false, errorReason: 'unexpected_verify_error', transaction: '', network: 'nano:mainnet' }
  assert.deepEqual(responseOf(reply), failure)
  assert.equal(await stateOf({ app }, block), undefined)
  assert.equal((await call('work_generate', { hash })).status, 402, 'the price is told all the same')
  assert.match(log(), /"reason":"No node available/, 'the operator learns what is away')
  await upstream.behave('none')
  await until(async () => (await call('work_generate', { hash }, signed(block))).status === 200)
  assert.equal(paymentsOnLedger(node), 1)
})

test('503 a store that is away opens no door', async (t) => {
  const { call, node, upstream, app } = await openFaultyShop(t)
  const block = paymentBlock(node, await openPayer(node))
  await app.store.db.schema.alterTable('x402_payments').renameTo('elsewhere').execute()
  assertPending(await call('work_generate', { hash: newHash() }, signed(block)), block)
  assert.equal(upstream.hits('process'), 0)
})

/** The row that a process leaves behind which died right after its claim. */
async function claimAndDie({ app }: Pick<Gateway, 'app'>, block: StateBlock, hash: string, leaseUntil: number) {
  const { db } = app.store
  const claim = await insertClaim(
    db,
    {
      hash: hashBlock(block),
      blockJson: JSON.stringify(toBlockJson(block)),
      network: TERMS.network,
      payer: toBlockJson(block).account!,
      previous: block.previous,
      amount: TERMS.amount,
      payTo: TERMS.payTo,
      action: 'work_generate',
      fingerprint: fingerprintOf({ hash }),
    },
    { now: Date.now(), leaseUntil },
  )
  return { db, claim: claim! }
}

test('a crash between claim and broadcast resumes with the same request, once the claim has lapsed', async (t) => {
  const { call, node, upstream, app } = await openFaultyShop(t)
  const block = paymentBlock(node, await openPayer(node))
  const hash = newHash()
  await claimAndDie({ app }, block, hash, Date.now() + 300)
  assertRefused(await call('work_generate', { hash: newHash() }, signed(block)), 'duplicate_settlement')
  const reply = await call('work_generate', { hash }, signed(block))
  assert.equal(reply.status, 200, reply.text)
  assert.equal(upstream.hits('process'), 1)
})

test('a crash between broadcast and its record resumes without another broadcast', async (t) => {
  const { call, node, upstream, app } = await openFaultyShop(t)
  const block = paymentBlock(node, await openPayer(node))
  const hash = newHash()
  await claimAndDie({ app }, block, hash, 0)
  await publish(node, block)
  const reply = await call('work_generate', { hash }, signed(block))
  assert.equal(reply.status, 200, reply.text)
  assert.equal(upstream.hits('process'), 0)
})

test('a crash between settlement and action resumes with the action', async (t) => {
  const { call, node, upstream, app } = await openFaultyShop(t)
  const block = paymentBlock(node, await openPayer(node))
  const hash = newHash()
  const { db, claim } = await claimAndDie({ app }, block, hash, 0)
  await publish(node, block)
  await markState(db, claim, { from: ['claimed'], to: 'settled', now: Date.now() })
  upstream.forgetHits()
  const reply = await call('work_generate', { hash }, signed(block))
  assert.equal(reply.status, 200, reply.text)
  for (const action of ['process', 'account_info', 'block_info']) assert.equal(upstream.hits(action), 0, action)
})

test('503 while another instance works on a payment, whoever presents it waits and is then told to come back', async (t) => {
  const { call, node, upstream, app } = await openFaultyShop(t, { env: { X402_TIMEOUT_SECONDS: '1' } })
  const block = paymentBlock(node, await openPayer(node))
  const hash = newHash()
  await claimAndDie({ app }, block, hash, Date.now() + 3_600_000)
  assertPending(await call('work_generate', { hash }, signed(block)), block)
  assert.equal(upstream.hits('process'), 0)
})

// A payment that its payer has given up must not bar the account from paying again.
test('a claim that nobody works on, and that the ledger does not have, makes room for another block', async (t) => {
  const { call, node, app } = await openFaultyShop(t)
  const payer = await openPayer(node)
  const abandoned = paymentBlock(node, payer)
  const hash = newHash()
  await claimAndDie({ app }, abandoned, hash, 0)
  const frontier = { ...frontierOf(node, payer.key), representative: new Signer(5).key }
  const other = payer.send(frontier, SHOP.key, PRICE)
  const reply = await call('work_generate', { hash: newHash() }, signed(other))
  assert.equal(reply.status, 200, reply.text)
  assert.equal(await stateOf({ app }, abandoned), 'rejected')
  const late = await call('work_generate', { hash }, signed(abandoned))
  assert.deepEqual([late.status, late.json().code], [402, 'invalid_transaction_state'])
})

test('200 what is paid for is finished and kept for a client that has left', async (t) => {
  const { call, node, upstream, url, app } = await openFaultyShop(t)
  const block = paymentBlock(node, await openPayer(node))
  const hash = newHash()
  const release = upstream.hold('work_generate')
  const controller = new AbortController()
  const body = JSON.stringify({ action: 'work_generate', hash })
  const left = fetch(url, { method: 'POST', body, headers: signed(block), signal: controller.signal })
  await until(() => upstream.hits('work_generate') > 0)
  controller.abort()
  await assert.rejects(left)
  release()
  await until(async () => (await stateOf({ app }, block)) === 'served')
  const reply = await call('work_generate', { hash }, signed(block))
  assert.equal(reply.headers['idempotent-replayed'], 'true')
})

test('two instances on one PostgreSQL: sixteen identical payments are one broadcast and one action', async (t) => {
  const ledger = await openDevnet(t)
  const upstream = await FaultyNode.start(t, { ledger })
  const env = {
    ...sharedKeys(),
    X402_PAY_TO: SHOP.address,
    DATABASE_URL: await createDatabase(),
    NODE_URLS: upstream.url,
    NODE_WS_URLS: ledger.wsUrl,
    NODE_NETWORK: 'dev',
  }
  const instances = [await openGateway(t, env), await openGateway(t, env)]
  const payer = await openPayer(ledger.node)
  const block = paymentBlock(ledger.node, payer)
  const hash = newHash()
  const asked = Array.from({ length: 16 }, (_, at) => instances[at % 2]!.call('work_generate', { hash }, signed(block)))
  const replies = await Promise.all(asked)
  assert.equal(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.equal(replies[0]!.status, 200, replies[0]!.text)
  assert.equal(upstream.hits('process'), 1)
  assert.equal(upstream.hits('work_generate'), 1)
})
