import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { parseNano } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { hashBlock } from '../../src/kernel/nano/block.ts'
import { Signer } from '../support/blocks.ts'
import { TestClock, turnPacedBy, turningWhenStuck } from '../support/clock.ts'
import { openCustomer } from '../support/customer.ts'
import { openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { assertRefused, encode, newHash, openPayer, openShop, paymentBlock, payloadOf } from '../x402/world.ts'

/* Contract 8, Other areas: payments by request, the faucet, and values of others. */

const MINUTE = 60_000
const DAY = 86_400

test('503 when a payment is not confirmed within the seconds of the challenge; its header has up to 8 KiB (contract 8, Other areas: confirmation wait, size of PAYMENT-SIGNATURE; 4.7, rules 8 and 13)', async (t) => {
  const clock = new TestClock()
  const { call, node, app } = await openShop(t, { X402_TIMEOUT_SECONDS: '45' }, clock)
  const payer = await openPayer(node)
  // Filled up to the byte, it is read; one group of four more, and it is no payment at all.
  const payloadWith = (filler: string) => {
    const block = paymentBlock(node, payer)
    const accepted = { maxTimeoutSeconds: 45 }
    return encode(payloadOf(block, { accepted, top: { extensions: { filler } } }))
  }
  const room = 8_192 - payloadWith('').length
  const full = payloadWith('x'.repeat(Math.floor((room * 3) / 4)))
  assert.equal(full.length, 8_192)
  const beyond = payloadWith('x'.repeat(Math.floor((room * 3) / 4) + 3))
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

test('the faucet gives 0.001 nano, once a day for each account and each address, three times a day for a network, within its budget (contract 8, Other areas: claim; 4.1, rules 4, 21 and 22; 3, rule 15)', async (t) => {
  const clock = new TestClock()
  const settings = { DEVNET_TREASURY_NANO: '1', TRUSTED_PROXIES: 'loopback', FAUCET_DAILY_NANO: '0.004' }
  const gateway = await openGateway(t, settings, clock)
  const { db } = gateway.app.store
  const { node } = gateway.app.devnet!
  const treasury = () => db.selectFrom('wallets').select('balance_raw').where('purpose', '=', 'treasury').execute()
  await until(async () => (await treasury())[0]?.balance_raw !== '0')
  const customers = await Promise.all(Array.from({ length: 6 }, () => openCustomer(gateway, clock)))
  const person = (at: number) => new Signer(800 + at).address
  const ask = (action: string, who: number, to: number, ip: string) => {
    const headers = { ...customers[who]!.headers, 'x-forwarded-for': ip }
    return turningWhenStuck(clock, gateway.call(action, { nano_address: person(to) }, headers))
  }
  const claim = (who: number, to: number, ip: string) => ask('faucet_claim', who, to, ip)
  const now = clock.now()
  const check = (await ask('faucet_check', 0, 0, '203.0.113.1')).json<Record<string, unknown>>()
  assert.deepEqual(check, {
    eligible: true,
    amount: '0.001',
    amount_raw: parseNano('0.001')!.toString(),
    next_claim_unix: now / 1_000,
  })
  const first = await claim(0, 0, '203.0.113.1')
  assert.equal(first.status, 200, first.text)
  const given = first.json<{ success: boolean; message: string; claim: Record<string, unknown> }>()
  const { id, tx_hash: hash, ...rest } = given.claim
  assert.deepEqual([given.success, given.message], [true, 'You have been sent 0.001 nano.'])
  assert.match(`${String(id)} ${String(hash)}`, /^fct_\w+ [0-9A-F]{64}$/)
  assert.deepEqual(rest, {
    nano_address: person(0),
    amount: '0.001',
    amount_raw: parseNano('0.001')!.toString(),
    status: 'sent',
    created_at: now,
  })
  assert.equal(node.ledger.receivableSum(fromAddress(person(0))!, false), parseNano('0.001'))

  const refusals: [who: number, to: number, ip: string, text: RegExp][] = [
    [0, 1, '203.0.113.1', /account has claimed/],
    [1, 0, '203.0.113.1', /address has received/],
  ]
  for (const [who, to, ip, text] of refusals) {
    const refused = await claim(who, to, ip)
    assert.equal(refused.status, 429)
    assert.match(refused.json().error!, text)
    assert.deepEqual([refused.json().retry_after, refused.headers['retry-after']], [DAY, String(DAY)])
  }
  for (const who of [1, 2]) assert.equal((await claim(who, who, `203.0.113.${who}`)).status, 200)
  assert.equal((await claim(3, 3, '203.0.113.200')).status, 429, 'three of a network')
  assert.equal((await claim(3, 3, '198.51.100.1')).status, 200)
  assert.equal((await claim(4, 4, '192.0.2.1')).status, 429, 'the budget of the day')
  clock.advance(DAY * 1_000)
  assert.equal((await claim(0, 0, '203.0.113.1')).status, 200)
})

test('while a provider fails, its last price is served with its own time for ten minutes, and then none (contract 8, Other areas: age of a value whose provider fails; 4.1, rule 23)', async (t) => {
  const clock = new TestClock()
  let isAway = false
  const server = createServer((_request, response) => {
    if (isAway) response.writeHead(503).end()
    else response.end(JSON.stringify({ nano: { usd: 1.25, last_updated_at: clock.now() / 1_000 } }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const gateway = await openGateway(t, { PRICE_PROVIDERS: 'coingecko', COINGECKO_URL: url }, clock)
  const read = async () => {
    const { status, json } = await gateway.call('price', { currency: 'USD' })
    const { price, source, timestamp_unix: at, code } = json<Record<string, unknown>>()
    return status === 200 ? [price, source, at] : [status, code]
  }
  const told = [1.25, 'coingecko', clock.now() / 1_000]
  assert.deepEqual(await read(), told)
  isAway = true
  for (const minutes of [5, 4]) {
    clock.advance(minutes * MINUTE)
    assert.deepEqual(await read(), told)
  }
  clock.advance(MINUTE - 1)
  assert.deepEqual(await read(), told)
  clock.advance(1)
  assert.deepEqual(await read(), [503, 'no_price'])
})
