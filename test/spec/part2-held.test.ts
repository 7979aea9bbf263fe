import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNano } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { openWorld as openMails, sender } from '../support/email-steps.ts'
import { Signer } from '../support/blocks.ts'
import { TestClock, turningWhenStuck } from '../support/clock.ts'
import { type Reply, openGateway } from '../support/gateway.ts'
import { readQr } from '../support/read-qr.ts'
import { until } from '../support/until.ts'
import {
  PRICE,
  SHOP,
  encode,
  newHash,
  openPayer,
  openShop,
  payloadOf,
  paymentBlock,
  requiredOf,
} from '../support/x402-steps.ts'
import { row } from './row.ts'

/* Contract 2, money held by the service and payment requirements: each member with its type. */

type Members = Record<string, unknown>

const NOW = Date.UTC(2026, 10, 15)
const DAY = 86_400
const [shop, bakery, alice] = [new Signer(1).address, new Signer(2).address, new Signer(3).address]

test('a wallet has its balance as a number when it is made, and in raw and nano ever after', async (t) => {
  const clock = new TestClock()
  const gateway = await openGateway(t, { KNOWN_NAMES: JSON.stringify({ Shop: shop }) }, clock)
  const headers = { authorization: `Bearer ${gateway.app.createdKey}` }
  const call = (fields: object): Promise<Reply> => gateway.call('cloud_wallet', fields, headers)
  const receive = async (account: unknown) =>
    (await turningWhenStuck(clock, call({ receive: true, account }))).json<Members[]>()
  const list = async () => (await call({ list: true })).json<Members[]>()
  const find = async (account: unknown) => (await list()).find(({ address }) => address === account)

  /** Lists show what is final; how soon that is depends on the ledger. */
  const untilListed = (account: unknown) =>
    until(async () => {
      if ((await find(account))?.balance !== '0') return true
      clock.advance(100)
      return false
    })

  const metadata = { order: { id: 7 }, tags: ['a'] }
  const made = (await call({ refund_address: shop, expire: '2 hours', metadata })).json<Members>()
  const { address, qrcode } = made
  const kept = {
    ...{ refund_address: shop, expiration: 'in 2 hours', expiration_unix: NOW / 1000 + 7_200, status: 'active' },
    metadata,
  }
  row(
    '2, Cloud wallet: address, balance, refund_address, expiration, expiration_unix, metadata, status, qrcode',
    () => {
      assert.deepEqual(made, { address, balance: 0, ...kept, qrcode })
      assert.ok(fromAddress(String(address)))
      assert.equal(readQr(String(qrcode)), `nano:${String(address)}`)
    },
  )
  const first = await find(address)
  row('2, Cloud wallet: balance, balance_nano, metadata, qrcode', () =>
    assert.deepEqual(first, { address, balance: '0', balance_nano: '0', ...kept }),
  )

  const plain = (await call({})).json<Members>()
  const bare = {
    refund_address: [],
    expiration: 'in 3 months',
    expiration_unix: NOW / 1000 + 90 * DAY,
    status: 'active',
  }
  row('2, Cloud wallet: refund_address, expiration, expiration_unix, metadata', () =>
    assert.deepEqual(plain, { address: plain.address, balance: 0, ...bare, qrcode: plain.qrcode }),
  )
  for (const [given, shown] of [
    [[bakery], [bakery]],
    [
      [shop, bakery],
      [shop, bakery],
    ],
    ['@shop', shop],
  ] as const) {
    const { refund_address: told } = (await call({ refund_address: given })).json<Members>()
    row('2, Cloud wallet: refund_address', () => assert.deepEqual(told, shown))
  }

  await gateway.app.devnet!.node.fund(fromAddress(String(address))!, parseNano('1.5')!)
  await gateway.confirmed()
  const waiting = (await call({ balance: 'true', account: address })).json<Members>()
  const half = `15${'0'.repeat(29)}`
  const ends = { address, expiration: 'in 2 hours', expiration_unix: kept.expiration_unix }
  const zero = { balance: '0', balance_nano: '0' }
  const coming = { pending: half, pending_nano: '1.5', receivable: half, receivable_nano: '1.5' }
  assert.deepEqual(waiting, { ...zero, ...coming, ...ends })
  assert.equal((await receive(address)).length, 1)
  const received = (await call({ balance: true, account: address })).json<Members>()
  const none = { pending: '0', pending_nano: '0', receivable: '0', receivable_nano: '0' }
  await untilListed(address)
  const { expiration: _, ...listed } = (await find(address))!
  const { expiration: __, ...same } = kept
  row('2, Cloud wallet: balance, balance_nano', () => {
    assert.deepEqual(received, { balance: half, balance_nano: '1.5', ...none, ...ends })
    assert.deepEqual(listed, { address, balance: half, balance_nano: '1.5', ...same })
  })

  // Its time is over, it has funds and nowhere to send them: they are kept for its owner.
  const short = (await call({ expire: '5 minutes' })).json<Members>()
  await gateway.app.devnet!.node.fund(fromAddress(String(short.address))!, parseNano('1')!)
  await gateway.confirmed()
  await receive(short.address)
  await untilListed(short.address)
  clock.advance(301_000)
  await until(async () => {
    clock.advance(100)
    return (await find(short.address))?.status === 'held'
  })
  const { expiration, ...held } = (await find(short.address))!
  row('2, Cloud wallet: expiration, status', () => {
    assert.match(String(expiration), /^\d+ (second|minute)s? ago$/)
    const { address: owned, expiration_unix } = short
    const one = { balance: `1${'0'.repeat(30)}`, balance_nano: '1' }
    assert.deepEqual(held, { address: owned, ...one, refund_address: [], expiration_unix, status: 'held' })
  })
})

test('an e-mail payment has numbers for people and raw for machines', async (t) => {
  const { call, clock, gateway } = await openMails(t)
  const fields = {
    refund_address: sender,
    amount: '1.000000000000000000000000000001',
    emails: ['alice@example.com', 'bob@example.com'],
    message: 'Thank you!',
    expiration: '45 days',
  }
  const made = (await call(fields)).json()
  const { id, address, qrcode } = made
  const amount_raw = '1100000000000000000000000000001'
  const link = `nano:${address}?amount=${amount_raw}`
  row(
    '2, Email payment: id, address, browser, check, subtotal, service_fee, amount, amount_raw, special_message, link, emails[], refund_address, status, expiration, expires_unix, created_at',
    () => {
      assert.deepEqual(made, {
        id,
        address,
        browser: `${gateway.url}/email/${id}`,
        check: `${gateway.url}/email/${id}/check`,
        subtotal: 1,
        service_fee: 0.1,
        amount: 1.1,
        amount_raw,
        special_message: 'Thank you!',
        qrcode,
        link,
        emails: [
          { email: 'alice@example.com', amount: 0.5, amount_raw: '500000000000000000000000000000' },
          { email: 'bob@example.com', amount: 0.5, amount_raw: '500000000000000000000000000001' },
        ],
        refund_address: sender,
        status: 'waiting',
        expiration: 'in 2 months',
        expires_unix: clock.now() / 1000 + DAY,
        created_at: clock.now(),
      })
      assert.match(id!, /^[0-9a-f]{16}$/)
      assert.ok(fromAddress(address!))
    },
  )
  row('2, Email payment: qrcode', () => assert.equal(readQr(qrcode!), link))
  const one = (await call({ refund_address: sender, amount: 2, emails: 'alice@example.com' })).json<Members>()
  row('2, Email payment: subtotal, service_fee, amount, special_message, expiration', () => {
    const { subtotal, service_fee, amount, special_message, expiration } = one
    assert.deepEqual([subtotal, service_fee, amount, special_message, expiration], [2, 0, 2, '', 'in 1 month'])
  })
})

test('the faucet tells what it gives and when, and a claim is a record (contract 2, rule 23)', async (t) => {
  const clock = new TestClock()
  const gateway = await openGateway(t, { DEVNET_TREASURY_NANO: '1' }, clock)
  const headers = { authorization: `Bearer ${gateway.app.createdKey}` }
  const gift = { amount: '0.001', amount_raw: `1${'0'.repeat(27)}` }
  const check = async (address: string) =>
    (await gateway.call('faucet_check', { nano_address: address })).json<Members>()
  const claim = (nano_address: string) =>
    turningWhenStuck(clock, gateway.call('faucet_claim', { nano_address }, headers))
  await gateway.confirmed()
  await turningWhenStuck(
    clock,
    until(async () => (await check(alice)).eligible === true),
  )
  const allowed = await check(alice)
  row('2, Faucet check: eligible, amount, amount_raw, next_claim_unix, reason', () =>
    assert.deepEqual(allowed, { eligible: true, ...gift, next_claim_unix: Math.ceil(clock.now() / 1000) }),
  )
  const given = (await claim(alice)).json<{ claim: Members }>()
  const { id, tx_hash, created_at } = given.claim
  const sent = (await gateway.call('block_info', { hash: tx_hash })).json<{ amount: string; contents: Members }>()
  row('2, Faucet claim: success, message, claim, id, nano_address, amount, amount_raw, status', () => {
    assert.deepEqual(given, {
      success: true,
      message: 'You have been sent 0.001 nano.',
      claim: { id, nano_address: alice, ...gift, status: 'sent', tx_hash, created_at },
    })
    assert.match(String(id), /^fct_[A-Za-z0-9]+$/)
  })
  row('2, Faucet claim: tx_hash', () => {
    assert.match(String(tx_hash), /^[0-9A-F]{64}$/)
    assert.deepEqual([sent.contents.link_as_account, sent.amount], [alice, gift.amount_raw])
  })
  // Milliseconds, of which the test clock has had none or few.
  row('2, Faucet claim: created_at', () =>
    assert.ok(Number.isInteger(created_at) && Number(created_at) >= NOW && Number(created_at) <= clock.now()),
  )

  const again = await claim(alice)
  assert.equal(again.status, 429)
  assert.deepEqual(again.json<{ claim: Members }>().claim, given.claim)
  const elsewhere = await claim(bakery)
  assert.deepEqual([elsewhere.status, elsewhere.json().claim], [429, undefined])
  const { reason, next_claim_unix, ...later } = await check(alice)
  row('2, Faucet check: eligible, reason, next_claim_unix', () => {
    assert.deepEqual(later, { eligible: false, ...gift })
    assert.equal(reason, 'This address has received a claim in the last 24 hours.')
    assert.equal(next_claim_unix, Math.ceil(Number(created_at) / 1000) + DAY)
  })
})

test('payment requirements name scheme, network, amount, asset, payee and time, once at the top and once as the only choice', async (t) => {
  const { call, node } = await openShop(t, { BASE_URL: 'https://rpc.example' })
  const terms = {
    scheme: 'exact',
    network: 'nano:mainnet',
    amount: '1000000000000000000000000000',
    asset: 'XNO',
    payTo: SHOP.address,
    maxTimeoutSeconds: 60,
  }
  const resource = {
    url: 'https://rpc.example/actions/work_generate',
    description: 'work_generate',
    mimeType: 'application/json',
  }
  const whole = { x402Version: 2, ...terms, resource, accepts: [terms] }
  const reply = await call('work_generate', { hash: newHash() })
  assert.equal(reply.status, 402)
  const { extensions, ...required } = requiredOf(reply)
  row(
    '2, Payment requirements: x402Version, error, scheme, network, amount, asset, payTo, maxTimeoutSeconds, resource, accepts[]',
    () => assert.deepEqual(required, { ...whole, error: 'PAYMENT-SIGNATURE header is required' }),
  )
  row('2, Payment requirements: extensions', () => {
    const { info, schema } = extensions.bazaar as { info: { input: object }; schema: object }
    const body = { hash: 'BC955907A25186B1E55B353AEC452E21844369A44A2C6C9CCBAA5E2599698B02' }
    assert.deepEqual(info.input, { type: 'http', method: 'POST', bodyType: 'json', body })
    assert.match(JSON.stringify(schema), /"body":\{"type":"object","properties":\{"hash":\{"type":"string"/)
  })
  // The reason of a refusal stands where the next payment is asked for.
  const block = paymentBlock(node, await openPayer(node), PRICE + 1n)
  const over = await call('work_generate', { hash: newHash() }, { 'payment-signature': encode(payloadOf(block)) })
  assert.equal(over.status, 402)
  row('2, Payment requirements: error', () =>
    assert.deepEqual(requiredOf(over), {
      ...whole,
      extensions,
      error: 'invalid_exact_nano_payload_amount_mismatch',
    }),
  )
})
