import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashBlock } from '../../kernel/nano/block.ts'
import { Signer, frontierOf } from '../../../test/support/blocks.ts'
import { bearer, openGateway, sharedKeys } from '../../../test/support/gateway.ts'
import { openDevnet } from '../../../test/support/devnet.ts'
import { FaultyNode } from '../../../test/support/faulty-node.ts'
import { createDatabase } from '../../../test/support/postgres.ts'
import { newHash } from '../../../test/support/random.ts'
import {
  PRICE,
  SHOP,
  assertPending,
  openFaultyShop,
  openPayer,
  paymentBlock,
  paymentsOnLedger,
  receiptOf,
  responseOf,
  signed,
} from '../../../test/support/x402-steps.ts'

/* One payment presented many times, at many endpoints, with lost replies; ordinary use is tested in test/spec. */

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
  assert.deepEqual(responseOf(again), receiptOf(block, payer))
})

test('a stored answer that was paid for, or requested with a key, is not given to others', async (t) => {
  const { call, node, app } = await openFaultyShop(t, { env: { X402_ACTIONS: 'account_balance' } })
  const payer = await openPayer(node)
  const account = SHOP.address
  for (let at = 0; at < 3; at++) {
    assert.equal((await call('account_balance', { account }, signed(paymentBlock(node, payer)))).status, 200)
  }
  assert.equal((await call('account_balance', { account })).status, 402)
  const other = { account: payer.address }
  const key = bearer(app.createdKey!)
  for (let at = 0; at < 3; at++) assert.equal((await call('account_balance', other, key)).status, 200)
  assert.equal((await call('account_balance', other)).status, 402)
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

test('200 a lost reply to the broadcast is made up for by a look at the ledger', async (t) => {
  const { call, node, upstream } = await openFaultyShop(t)
  const block = paymentBlock(node, await openPayer(node))
  await upstream.behave('reply lost', { actions: ['process'] })
  const reply = await call('work_generate', { hash: newHash() }, signed(block))
  assert.equal(reply.status, 200, reply.text)
  assert.equal(upstream.hits('process'), 1)
})

// Found by npm run chaos: a node answered with an earlier state.
test('a payer was refused because one of two nodes reported another frontier: now the block is published anyway', async (t) => {
  const ledger = await openDevnet(t)
  const nodes = [await FaultyNode.start(t, { ledger }), await FaultyNode.start(t, { ledger })]
  const { call } = await openGateway(t, {
    NODE_URLS: nodes.map(({ url }) => url).join(','),
    NODE_NETWORK: 'dev',
    X402_PAY_TO: SHOP.address,
  })
  for (const liar of nodes) {
    liar.lie('account_info', (answer) => ({ ...answer, frontier: 'F'.repeat(64), balance: '1' }))
    const block = paymentBlock(ledger.node, await openPayer(ledger.node))
    const reply = await call('work_generate', { hash: newHash() }, signed(block))
    assert.equal(reply.status, 200, reply.text)
    liar.beHonest()
  }
  // What both report counts.
  for (const node of nodes) node.lie('account_info', (answer) => ({ ...answer, frontier: 'F'.repeat(64) }))
  const block = paymentBlock(ledger.node, await openPayer(ledger.node))
  const refused = await call('work_generate', { hash: newHash() }, signed(block))
  assert.equal(refused.status, 402)
})

// Found by npm run chaos: two gateways published the block at the same moment, and the node that both asked did not
// have it.
test('a payer was refused although the ledger has the payment: one node refused and denied the block that it took', async (t) => {
  const ledger = await openDevnet(t)
  const [liar, honest] = [await FaultyNode.start(t, { ledger }), await FaultyNode.start(t, { ledger })]
  const { call } = await openGateway(t, {
    NODE_URLS: `${liar.url},${honest.url}#role=fallback`,
    NODE_WS_URLS: `${ledger.wsUrl},`,
    NODE_NETWORK: 'dev',
    X402_PAY_TO: SHOP.address,
    X402_TIMEOUT_SECONDS: '1',
  })
  const payer = await openPayer(ledger.node)
  const block = paymentBlock(ledger.node, payer)
  const hash = newHash()
  liar.lie('process', () => ({ error: 'Fork' }))
  liar.lie('block_info', () => ({ error: 'Block not found' }))
  liar.lie('blocks_info', () => ({ blocks: '', blocks_not_found: [hashBlock(block)] }))
  assertPending(await call('work_generate', { hash }, signed(block)), block)
  liar.beHonest()
  const reply = await call('work_generate', { hash }, signed(block))
  assert.equal(reply.status, 200, reply.text)
  assert.equal(paymentsOnLedger(ledger.node), 1)
})

test('503 while the store is down: no payment is accepted', async (t) => {
  const { call, node, upstream, app } = await openFaultyShop(t)
  const block = paymentBlock(node, await openPayer(node))
  await app.store.db.schema.alterTable('x402_payments').renameTo('elsewhere').execute()
  assertPending(await call('work_generate', { hash: newHash() }, signed(block)), block)
  assert.equal(upstream.hits('process'), 0)
})

test('two instances on one PostgreSQL: sixteen identical payments are one broadcast and one action', async (t) => {
  const ledger = await openDevnet(t)
  const upstream = await FaultyNode.start(t, { ledger })
  const nodes = { NODE_URLS: upstream.url, NODE_WS_URLS: ledger.wsUrl, NODE_NETWORK: 'dev' }
  const env = { ...sharedKeys(), ...nodes, X402_PAY_TO: SHOP.address, DATABASE_URL: await createDatabase() }
  const instances = [await openGateway(t, env), await openGateway(t, env)]
  const payer = await openPayer(ledger.node)
  const block = paymentBlock(ledger.node, payer)
  const hash = newHash()
  const asked = Array.from({ length: 16 }, (_, at) => instances[at % 2]!.call('work_generate', { hash }, signed(block)))
  const replies = await Promise.all(asked)
  assert.equal(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.equal(replies[0]!.status, 200, replies[0]!.text)
  for (const reply of replies) assert.deepEqual(responseOf(reply), receiptOf(block, payer))
  assert.equal(replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 15)
  assert.equal(upstream.hits('process'), 1)
  assert.equal(upstream.hits('work_generate'), 1)
})
