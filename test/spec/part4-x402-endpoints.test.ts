import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { TestClock } from '../support/clock.ts'
import { ask } from '../support/gateway.ts'
import { newHash } from '../support/random.ts'
import { until } from '../support/until.ts'
import {
  TERMS,
  assertRefused,
  openFaultyShop,
  openPayer,
  payloadOf,
  paymentBlock,
  paymentsOnLedger,
  signed,
} from '../support/x402-steps.ts'
import { row } from './row.ts'

/* Any service may use the facilitator with the official packages; test/gallery tests those. */

const terms = { ...TERMS, network: 'nano:mainnet', extra: {} } as const
type Payload = Parameters<HTTPFacilitatorClient['verify']>[0]
const payload = (block: Parameters<typeof payloadOf>[0], change?: Parameters<typeof payloadOf>[1]) =>
  payloadOf(block, change) as unknown as Payload

test('a service can read what is settled here before it sends anything; 429 with the time to retry for too many requests (contract 4.7, Other endpoints of 4.7: GET /facilitator/supported)', async (t) => {
  // The gateway sells nothing; only the facilitator runs.
  const env = { X402_PAY_TO: '', LIMIT_ANONYMOUS_PER_MINUTE: '2' }
  const { url } = await openFaultyShop(t, { clock: new TestClock(), env })
  const look = () => ask(`${url}/facilitator/supported`, { method: 'GET' })
  const [reply, second, third] = [await look(), await look(), await look()]
  const kinds = [{ x402Version: 2, scheme: 'exact', network: 'nano:mainnet' }]
  assert.deepEqual([reply.status, reply.json()], [200, { kinds, extensions: ['bazaar'], signers: {} }])
  assert.deepEqual([second.status, third.status], [200, 429])
})

test('eight parallel settlements of one block succeed once; one for another service pays for nothing here, and the reverse', async (t) => {
  const { url, node, upstream, call } = await openFaultyShop(t)
  const payer = await openPayer(node)
  const client = new HTTPFacilitatorClient({ url: `${url}/facilitator` })
  const theirs = paymentBlock(node, payer)
  // Services that rely on it may not record payments themselves: of parallel requests with one payment only one may be accepted.
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => client.settle(payload(theirs), terms)))
  assert.equal(outcomes.filter(({ success }) => success).length, 1)
  assert.equal(upstream.hits('process'), 1)
  assertRefused(await call('work_generate', { hash: newHash() }, signed(theirs)), 'duplicate_settlement')
  const ours = paymentBlock(node, payer)
  assert.equal((await call('work_generate', { hash: newHash() }, signed(ours))).status, 200)
  assert.equal((await client.settle(payload(ours), terms)).errorReason, 'duplicate_settlement')
})

test('a service whose answer was lost gets it again with its Idempotency-Key, and nobody else does (contract 4.7, Other endpoints of 4.7: POST /facilitator/settle)', async (t) => {
  const { url, node } = await openFaultyShop(t)
  const paymentPayload = payloadOf(paymentBlock(node, await openPayer(node)))
  const body = JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: TERMS })
  const settle = (key?: string) =>
    ask(`${url}/facilitator/settle`, { body, headers: key === undefined ? {} : { 'idempotency-key': key } })
  assert.equal((await settle('')).status, 400)
  const first = await settle('mine')
  assert.equal(first.json<{ success: boolean }>().success, true)
  assert.deepEqual((await settle('mine')).json(), first.json())
  for (const key of ['theirs', undefined]) {
    const { success, errorReason } = (await settle(key)).json<{ success: boolean; errorReason: string }>()
    assert.deepEqual([success, errorReason], [false, 'duplicate_settlement'])
  }
  assert.equal(paymentsOnLedger(node), 1)
})

test('the facilitator’s URL explains itself to people; a program gets its networks and addresses (contract 4.7, Other endpoints of 4.7: GET /facilitator)', async (t) => {
  const { url } = await openFaultyShop(t, { env: { X402_PAY_TO: '' } })
  const open = (accept: string) => ask(`${url}/facilitator`, { method: 'GET', headers: { accept } })
  const page = await open('text/html,application/xhtml+xml,*/*;q=0.8')
  assert.match(page.headers['content-type']!, /^text\/html/)
  for (const text of [`facilitator: '${url}/facilitator'`, 'nano:mainnet', `${url}/facilitator/supported`]) {
    assert.ok(page.text.includes(text), text)
  }
  const program = await open('*/*')
  assert.equal(program.headers.vary, 'accept')
  const at = (path: string) => `${url}/facilitator/${path}`
  assert.deepEqual(program.json(), {
    x402Version: 2,
    scheme: 'exact',
    asset: 'XNO',
    networks: ['nano:mainnet'],
    url: `${url}/facilitator`,
    supported: at('supported'),
    verify: at('verify'),
    settle: at('settle'),
    resources: at('discovery/resources'),
  })
})

test('a payment for other terms is called invalid, and never sent (contract 4.7, Other endpoints of 4.7: POST /facilitator/verify, POST /facilitator/settle)', async (t) => {
  const { url, node, upstream } = await openFaultyShop(t)
  const payer = await openPayer(node)
  const client = new HTTPFacilitatorClient({ url: `${url}/facilitator` })
  const block = paymentBlock(node, payer)
  const cases: [Partial<Record<keyof typeof terms, unknown>>, string][] = [
    [{ amount: '1' }, 'invalid_payment_requirements'],
    [{ amount: '-1' }, 'invalid_payment_requirements'],
    [{ asset: 'USDC' }, 'invalid_payment_requirements'],
    [{ payTo: payer.address }, 'invalid_payment_requirements'],
    [{ scheme: 'upto' }, 'unsupported_scheme'],
    [{ network: 'nano:beta' }, 'invalid_network'],
  ]
  for (const [change, reason] of cases) {
    const changed = { ...terms, ...change } as typeof terms
    const verdict = await client.verify(payload(block), changed)
    const outcome = await client.settle(payload(block), changed)
    row('4.7, Reasons of 4.7: unsupported_scheme, invalid_network, invalid_payment_requirements', () => {
      assert.deepEqual([verdict.isValid, verdict.invalidReason], [false, reason])
      assert.deepEqual([outcome.success, outcome.errorReason, outcome.transaction], [false, reason, ''])
    })
  }
  const forged = payload(block, { block: { link_as_account: payer.address } })
  const reason = 'invalid_exact_nano_payload_recipient_mismatch'
  assert.equal((await client.settle(forged, terms)).errorReason, reason)
  assert.equal(upstream.hits('process'), 0)
})

test('400 for a body that is not a call to a facilitator, 503 while no node answers (contract 4.7, Other endpoints of 4.7: POST /facilitator/verify, POST /facilitator/settle; 4.7, Reasons of 4.7: unexpected_verify_error, unexpected_settle_error)', async (t) => {
  const { url, node, upstream } = await openFaultyShop(t)
  const post = (path: string, body: string) => ask(`${url}/facilitator/${path}`, { body })
  const deep = `{"paymentPayload":${'['.repeat(50)}${']'.repeat(50)}}`
  const halves = ['{"paymentPayload":{}}', '{"paymentPayload":[],"paymentRequirements":{}}']
  for (const body of ['', 'x', '[]', '{}', ...halves, deep]) {
    for (const path of ['verify', 'settle']) assert.equal((await post(path, body)).status, 400, body)
  }
  assert.equal((await post('settle', `{"a":"${'x'.repeat(100_000)}"}`)).status, 413)
  const paymentPayload = payloadOf(paymentBlock(node, await openPayer(node)))
  const body = JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: TERMS })
  await upstream.behave('dead')
  const error = 'Payments cannot be verified right now. Nothing was charged; try again.'
  const away = { error, message: error, code: 'payment_unavailable', retry_after: 5 }
  const verdict = await post('verify', body)
  assert.deepEqual([verdict.status, verdict.headers['retry-after']], [503, '5'])
  const unverified = { isValid: false, invalidReason: 'unexpected_verify_error' }
  assert.deepEqual(verdict.json(), { ...away, ...unverified })
  const outcome = await post('settle', body)
  assert.deepEqual([outcome.status, outcome.headers['retry-after']], [503, '5'])
  const unsettled = { success: false, errorReason: 'unexpected_settle_error', transaction: '', network: TERMS.network }
  const unsent = 'Payments cannot be settled right now. Nothing was sent; try again.'
  assert.deepEqual(outcome.json(), { ...away, ...unsettled, error: unsent, message: unsent })
  // The failure had no effect on it.
  await upstream.behave('none')
  await until(async () => (await post('settle', body)).json<{ success: boolean }>().success)
  assert.equal(paymentsOnLedger(node), 1)
})
