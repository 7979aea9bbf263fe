import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StateBlock, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { workValue, WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { Signer, frontierOf, publish } from '../support/blocks.ts'
import { ask } from '../support/gateway.ts'
import { newHash } from '../support/random.ts'
import { workFor } from '../support/scripted-engine.ts'
import {
  type Members,
  PRICE,
  SHOP,
  assertRefused,
  encode,
  openFaultyShop,
  openPayer,
  payloadOf,
  paymentBlock,
  paymentsOnLedger,
  signed,
} from '../support/x402-steps.ts'
import { row } from './row.ts'

const STRANGER = new Signer(901, WORK_THRESHOLDS.dev)

/* Invalid payments of every kind: each is refused with its reason and never reaches the ledger. */
test('402 whatever is wrong with a payment, its reason is reported and nothing is sent (contract 4.7, rule 12; 4.7, Answers of 4.7: payment malformed, wrong, under- or overpaid, or used before; 8, Other areas: size of PAYMENT-SIGNATURE)', async (t) => {
  const { call, node, upstream, app, log } = await openFaultyShop(t)
  const payer = await openPayer(node)
  const frontier = frontierOf(node, payer.key)
  const good = payer.send(frontier, SHOP.key, PRICE)
  const block = (members: Members) => payloadOf(good, { block: members })
  const accepted = (members: Members) => payloadOf(good, { accepted: members })
  const top = (members: Members) => payloadOf(good, { top: members })
  const weak = workFor(good.previous, 0n, WORK_THRESHOLDS.dev.send)
  assert.ok(workValue(good.previous, weak) < WORK_THRESHOLDS.dev.send)
  const moved = payer.send({ ...frontier, previous: newHash() }, SHOP.key, PRICE)
  const fromNowhere = STRANGER.send({ ...frontier, previous: newHash() }, SHOP.key, PRICE)
  const text = JSON.stringify(toBlockJson(good))
  const deep = `${'['.repeat(2_000)}${']'.repeat(2_000)}`

  const headers: [string, string, string][] = [
    ['no base64', 'invalid_payload', 'not base64 at all!'],
    ['no JSON', 'invalid_payload', Buffer.from('{"x402Version":2').toString('base64')],
    ['no object', 'invalid_payload', encode([payloadOf(good)])],
    ['no UTF-8', 'invalid_payload', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]).toString('base64')],
    ['deep JSON', 'invalid_payload', Buffer.from(deep).toString('base64')],
    ['over 8 KiB', 'invalid_payload', encode(top({ padding: 'x'.repeat(8_192) }))],
    ['two joined headers', 'invalid_payload', `${encode(payloadOf(good))}, ${encode(payloadOf(good))}`],
    ['version 1', 'invalid_x402_version', encode(top({ x402Version: 1 }))],
    ['version as text', 'invalid_x402_version', encode(top({ x402Version: '2' }))],
    ['no accepted', 'invalid_payload', encode(top({ accepted: undefined }))],
    ['no payload', 'invalid_payload', encode(top({ payload: 'block' }))],
    ['no block', 'invalid_exact_nano_payload_block', encode(top({ payload: {} }))],
    ['a text as block', 'invalid_exact_nano_payload_block', encode(top({ payload: { block: text } }))],
  ]
  const malformed: [member: string, values: unknown[]][] = [
    ['type', ['send']],
    ['account', ['nano_1', `node_${payer.address.slice(5)}`, undefined]],
    ['representative', [7]],
    ['previous', [good.previous.slice(1)]],
    ['link', [toAddress(good.link)]],
    ['signature', [`${good.signature}00`]],
    ['work', [good.work.slice(1)]],
    ['balance', [(2n ** 128n).toString(), '-1', '0x10', '9'.repeat(4_000), 5]],
    ['link_as_account', ['nano_1']],
  ]
  for (const [member, values] of malformed) {
    for (const value of values) {
      const what = `block whose ${member} is ${String(value).slice(0, 40)}`
      headers.push([what, 'invalid_exact_nano_payload_block', encode(block({ [member]: value }))])
    }
  }
  const astray = payer.send(frontier, STRANGER.key, PRICE)
  const recipient = 'invalid_exact_nano_payload_recipient_mismatch'
  const amount = 'invalid_exact_nano_payload_amount_mismatch'
  const wrong: [string, string, object][] = [
    ['other scheme', 'invalid_scheme', accepted({ scheme: 'upto' })],
    ['other network', 'invalid_network', accepted({ network: 'nano:dev' })],
    ['other asset', 'invalid_payment_requirements', accepted({ asset: 'BAN' })],
    ['lower price agreed', 'invalid_payment_requirements', accepted({ amount: '1' })],
    ['price that is no number', 'invalid_payment_requirements', accepted({ amount: "1' or '1'='1" })],
    ['price as a number', 'invalid_payment_requirements', accepted({ amount: 1e27 })],
    ['no recipient agreed', 'invalid_payment_requirements', accepted({ payTo: { toString: 1 } })],
    ['other recipient agreed', 'invalid_payment_requirements', accepted({ payTo: STRANGER.address })],
    ['forged link_as_account', recipient, block({ link_as_account: STRANGER.address })],
    ['pays a stranger and says it pays us', recipient, payloadOf(astray, { block: { link_as_account: SHOP.address } })],
    ['pays a stranger', recipient, payloadOf(astray)],
    ['pays less', amount, payloadOf(payer.send(frontier, SHOP.key, PRICE - 1n))],
    ['pays more', amount, payloadOf(payer.send(frontier, SHOP.key, PRICE + 1n))],
    ['receives', amount, payloadOf(payer.send(frontier, SHOP.key, -PRICE))],
    ['bad work', 'invalid_exact_nano_payload_work', block({ work: weak })],
    ['bad signature', 'invalid_exact_nano_payload_signature', block({ signature: 'A'.repeat(128) })],
    ['signed by another', 'invalid_exact_nano_payload_signature', block({ account: STRANGER.address })],
    ['balance changed after signing', 'invalid_exact_nano_payload_signature', block({ balance: '1' })],
    ['frontier that is not', 'invalid_exact_nano_payload_frontier', payloadOf(moved)],
    ['account that is not', 'invalid_exact_nano_payload_frontier', payloadOf(fromNowhere)],
  ]
  headers.push(...wrong.map(([what, reason, payload]) => [what, reason, encode(payload)] as [string, string, string]))

  upstream.forgetHits()
  for (const [what, reason, header] of headers) {
    await t.test(`${what}: ${reason}`, async () => {
      const reply = await call('work_generate', { hash: newHash() }, { 'payment-signature': header })
      row(
        '4.7, Reasons of 4.7: invalid_payload, invalid_x402_version, invalid_scheme, invalid_network, invalid_payment_requirements, invalid_exact_nano_payload_block, invalid_exact_nano_payload_signature, invalid_exact_nano_payload_work, invalid_exact_nano_payload_recipient_mismatch, invalid_exact_nano_payload_amount_mismatch, invalid_exact_nano_payload_frontier',
        () => assertRefused(reply, reason),
      )
    })
    assert.ok(!log().includes(header.slice(0, 60)), 'a signed block is money and stays out of the log')
  }
  assert.equal(upstream.hits('process'), 0)
  assert.equal(paymentsOnLedger(node), 0)
  assert.deepEqual(await app.store.db.selectFrom('x402_payments').selectAll().execute(), [])
  // None of these refusals affected the valid payment.
  const reply = await call('work_generate', { hash: newHash() }, signed(good))
  assert.equal(reply.status, 200, reply.text)
  assert.ok(log().includes(hashBlock(good)), 'its hash is what the log knows it by')
})

test('without work and a signature no node is asked; 400 parameters come before the payment; 402 a published block pays for nothing (contract 4.7, rules 11, 14 and 18; 4.7, Answers of 4.7: RPC parameters invalid)', async (t) => {
  const { call, node, upstream } = await openFaultyShop(t)
  const good = paymentBlock(node, await openPayer(node))
  upstream.forgetHits()
  const pay = (members: Members) =>
    call('work_generate', { hash: newHash() }, { 'payment-signature': encode(payloadOf(good, { block: members })) })
  const signature = 'A'.repeat(128)
  // Proof of work is checked before the signature, and both before any node is asked: a flood then costs its sender most.
  const both = { work: workFor(good.previous, 0n, WORK_THRESHOLDS.dev.send), signature }
  assertRefused(await pay(both), 'invalid_exact_nano_payload_work')
  assertRefused(await pay({ signature }), 'invalid_exact_nano_payload_signature')
  for (const action of ['account_info', 'block_info', 'process']) assert.equal(upstream.hits(action), 0, action)

  const block = toBlockJson(paymentBlock(node, await openPayer(node)))
  const requests: [object, string][] = [
    [{}, 'invalid_request'],
    [{ hash: 'zz' }, 'invalid_hash'],
    [{ hash: newHash(), difficulty: '0000000000000001' }, 'invalid_difficulty'],
    [{ hash: newHash(), multiplier: '1000000' }, 'invalid_difficulty'],
    [{ hash: newHash(), block }, 'invalid_block'],
  ]
  for (const [parameters, code] of requests) {
    const reply = await call('work_generate', parameters, signed(good))
    assert.deepEqual([reply.status, reply.json().code], [400, code])
    for (const name of ['payment-required', 'payment-response']) assert.equal(reply.headers[name], undefined)
  }
  // Its payer has published it, and anybody may have copied it.
  await publish(node, good)
  assertRefused(await call('work_generate', { hash: newHash() }, signed(good)), 'duplicate_settlement')
  assert.equal(upstream.hits('process'), 0)
})

test('200 every way to write the same good payment is understood (contract 4.7, Headers of 4.7: PAYMENT-SIGNATURE)', async (t) => {
  const { call, node, url } = await openFaultyShop(t)
  const payer = await openPayer(node)
  const forms: ((block: StateBlock) => string)[] = [
    (block) => encode(payloadOf(block)).replace(/=+$/, ''),
    (block) => Buffer.from(JSON.stringify(payloadOf(block, { top: { note: '???>>>~~~' } }))).toString('base64url'),
    (block) => encode(payloadOf(block, { block: toBlockJson(block) })),
    (block) =>
      encode(
        payloadOf(block, {
          accepted: { payTo: SHOP.address.replace('nano_', 'xrb_'), maxTimeoutSeconds: 1, extra: { any: 'thing' } },
          block: {
            account: payer.address.replace('nano_', 'xrb_'),
            previous: block.previous.toLowerCase(),
            link: block.link.toLowerCase(),
            signature: block.signature.toLowerCase(),
            work: block.work.toUpperCase(),
            balance: `0${block.balance}`.slice(-39),
            colour: 'green',
          },
          top: { resource: { url: 'elsewhere' }, extensions: { a: 1 } },
        }),
      ),
    (block) => encode(Object.fromEntries(Object.entries(payloadOf(block)).reverse())),
  ]
  for (const form of forms) {
    const header = { 'payment-signature': form(paymentBlock(node, payer)) }
    const reply = await call('work_generate', { hash: newHash() }, header)
    assert.equal(reply.status, 200, reply.text)
  }
  assert.equal(paymentsOnLedger(node), forms.length)

  // Two header lines are joined with a comma, which is not valid base64.
  const value = encode(payloadOf(paymentBlock(node, payer)))
  const body = JSON.stringify({ action: 'work_generate', hash: newHash() })
  assert.equal((await ask(url, { headers: { 'PAYMENT-SIGNATURE': [value, value] }, body })).status, 402)
})
