import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { hashBlock, toBlockJson } from '../../kernel/nano/block.ts'
import { fingerprintOf } from '../../guard/once.ts'
import { insertClaim, markState } from './store.ts'
import { Signer, frontierOf, publish } from '../../../test/support/blocks.ts'
import { newHash } from '../../../test/support/random.ts'
import { until } from '../../../test/support/until.ts'
import {
  PRICE,
  SHOP,
  TERMS,
  assertPending,
  assertRefused,
  openFaultyShop,
  openPayer,
  paymentBlock,
  signed,
  stateOf,
} from '../../../test/support/x402-steps.ts'

/* A process dies between two steps, or its client leaves: the same request continues from there. */

/** A payment for work; `dieAfterClaim` leaves the row of a process that died right after its claim. */
async function openOrder(t: TestContext, ...given: [Parameters<typeof openFaultyShop>[1]?]) {
  const shop = await openFaultyShop(t, ...given)
  const { db } = shop.app.store
  const payer = await openPayer(shop.node)
  const block = paymentBlock(shop.node, payer)
  const hash = newHash()
  const { amount, network, payTo } = TERMS
  const json = toBlockJson(block)
  const ordered = { action: 'work_generate', fingerprint: fingerprintOf({ hash }), amount, network, payTo }
  const sent = {
    hash: hashBlock(block),
    blockJson: JSON.stringify(json),
    payer: json.account!,
    previous: block.previous,
  }
  const dieAfterClaim = async (leaseUntil: number) =>
    (await insertClaim(db, { ...ordered, ...sent }, { now: Date.now(), leaseUntil }))!
  const present = () => shop.call('work_generate', { hash }, signed(block))
  return { ...shop, db, payer, block, hash, dieAfterClaim, present }
}

test('a crash between claim and broadcast resumes with the same request, once the claim has lapsed', async (t) => {
  const { call, upstream, db, block, dieAfterClaim, present } = await openOrder(t)
  await dieAfterClaim(Date.now() + 3_600_000)
  assertRefused(await call('work_generate', { hash: newHash() }, signed(block)), 'duplicate_settlement')
  await db
    .updateTable('x402_payments')
    .set({ lease_until: Date.now() + 300 })
    .execute()
  const reply = await present()
  assert.equal(reply.status, 200, reply.text)
  assert.equal(upstream.hits('process'), 1)
})

test('a crash between broadcast and its record resumes without another broadcast', async (t) => {
  const { node, upstream, block, dieAfterClaim, present } = await openOrder(t)
  await dieAfterClaim(0)
  await publish(node, block)
  const reply = await present()
  assert.equal(reply.status, 200, reply.text)
  assert.equal(upstream.hits('process'), 0)
})

test('a crash between settlement and action resumes with the action', async (t) => {
  const { node, upstream, db, block, dieAfterClaim, present } = await openOrder(t)
  const claim = await dieAfterClaim(0)
  await publish(node, block)
  await markState(db, claim, { from: ['claimed'], to: 'settled', now: Date.now() })
  upstream.forgetHits()
  const reply = await present()
  assert.equal(reply.status, 200, reply.text)
  for (const action of ['process', 'account_info', 'block_info']) assert.equal(upstream.hits(action), 0, action)
})

test('503 while another instance processes a payment: a client that presents it waits and is then asked to retry', async (t) => {
  const { upstream, block, dieAfterClaim, present } = await openOrder(t, { env: { X402_TIMEOUT_SECONDS: '1' } })
  await dieAfterClaim(Date.now() + 3_600_000)
  assertPending(await present(), block)
  assert.equal(upstream.hits('process'), 0)
})

// A payment that its payer has abandoned must not keep the account from paying again.
test('an abandoned claim whose block is not on the ledger is replaced by another block', async (t) => {
  const { call, node, app, payer, block: abandoned, dieAfterClaim, present } = await openOrder(t)
  await dieAfterClaim(0)
  const frontier = { ...frontierOf(node, payer.key), representative: new Signer(5).key }
  const other = payer.send(frontier, SHOP.key, PRICE)
  const reply = await call('work_generate', { hash: newHash() }, signed(other))
  assert.equal(reply.status, 200, reply.text)
  assert.equal(await stateOf({ app }, abandoned), 'rejected')
  const late = await present()
  assert.deepEqual([late.status, late.json().code], [402, 'invalid_transaction_state'])
})

test('200 a paid request is finished and its answer kept for a client that has disconnected', async (t) => {
  const { upstream, url, app, block, hash, present } = await openOrder(t)
  const release = upstream.hold('work_generate')
  const controller = new AbortController()
  const body = JSON.stringify({ action: 'work_generate', hash })
  const left = fetch(url, { method: 'POST', body, headers: signed(block), signal: controller.signal })
  await until(() => upstream.hits('work_generate') > 0)
  controller.abort()
  await assert.rejects(left)
  release()
  await until(async () => (await stateOf({ app }, block)) === 'served')
  const reply = await present()
  assert.equal(reply.headers['idempotent-replayed'], 'true')
})

// Found by npm run chaos: a gateway answered while its store was unavailable, and the next gateway computed other work
// for the same payment.
test('an agent whose answer could not be kept comes again, and one payment never brings two answers', async (t) => {
  const { upstream, db, present } = await openOrder(t)
  await sql`create trigger away before update on x402_payments when new.state = 'served'
    begin select raise(abort, 'away'); end`.execute(db)
  const unkept = await present()
  assert.deepEqual([unkept.status, unkept.json().code], [503, 'store_unavailable'], unkept.text)
  assert.match(unkept.text, /it costs nothing more/)
  await sql`drop trigger away`.execute(db)
  const first = await present()
  assert.equal(first.status, 200, first.text)
  assert.equal((await present()).text, first.text)
  assert.equal(upstream.hits('process'), 1)
})
