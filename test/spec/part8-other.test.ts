import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashBlock } from '../../src/kernel/nano/block.ts'
import { TestClock, turnPacedBy } from '../support/clock.ts'
import { newHash } from '../support/random.ts'
import { until } from '../support/until.ts'
import { assertRefused, encode, openPayer, openShop, paymentBlock, payloadOf } from '../support/x402-steps.ts'

/* Contract 8, Other areas: how long an x402 payment is awaited, and its maximum size. */

test('503 when a payment is not confirmed within the seconds of the challenge; its header has up to 8 KiB (contract 8, Other areas: confirmation wait, size of PAYMENT-SIGNATURE; 4.7, rules 8 and 13)', async (t) => {
  const clock = new TestClock()
  const { call, node, app } = await openShop(t, { X402_TIMEOUT_SECONDS: '45' }, clock)
  const payer = await openPayer(node)
  // A payload of exactly the maximum is read; four more characters make it invalid.
  const payloadWith = (filler: string) => {
    const block = paymentBlock(node, payer)
    const accepted = { maxTimeoutSeconds: 45 }
    return encode(payloadOf(block, { accepted, top: { extensions: { filler } } }))
  }
  const spare = 8_192 - payloadWith('').length
  const full = payloadWith('x'.repeat(Math.floor((spare * 3) / 4)))
  assert.equal(full.length, 8_192)
  const beyond = payloadWith('x'.repeat(Math.floor((spare * 3) / 4) + 3))
  assertRefused(await call('work_generate', { hash: newHash() }, { 'payment-signature': beyond }), 'invalid_payload')
  const paid = await call('work_generate', { hash: newHash() }, { 'payment-signature': full })
  assert.equal(paid.status, 200, paid.text)

  node.hold()
  const block = paymentBlock(node, payer)
  const start = clock.now()
  let isOver = false
  const header = { 'payment-signature': encode(payloadOf(block, { accepted: { maxTimeoutSeconds: 45 } })) }
  const waiting = call('work_generate', { hash: newHash() }, header).finally(() => (isOver = true))
  await until(() => node.ledger.store.hasBlock(hashBlock(block)))
  await turnPacedBy({ clock, db: app.store.db }, () => isOver)
  const reply = await waiting
  assert.deepEqual([reply.status, reply.json().code], [503, 'settlement_pending'])
  const waited = (clock.now() - start) / 1_000
  assert.ok(waited >= 45 && waited < 60, `${waited} seconds`)
})
