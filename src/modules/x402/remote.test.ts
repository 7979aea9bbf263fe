import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { hashBlock, toBlockJson } from '../../kernel/nano/block.ts'
import { publish } from '../../../test/support/blocks.ts'
import { openGateway } from '../../../test/support/gateway.ts'
import { openDevnet } from '../../../test/support/devnet.ts'
import { FaultyNode } from '../../../test/support/faulty-node.ts'
import { TestClock } from '../../../test/support/clock.ts'
import { newHash } from '../../../test/support/random.ts'
import { until } from '../../../test/support/until.ts'
import { type Script, openFacilitator, raw } from '../../../test/support/scripted-facilitator.ts'
import {
  SHOP,
  TERMS,
  assertRefused,
  encode,
  openPayer,
  payloadOf,
  paymentBlock,
  paymentsOnLedger,
  requiredOf,
  responseOf,
  signed,
} from '../../../test/support/x402-steps.ts'

/*
 * Another facilitator settles, but our own node decides: whatever the facilitator says, nothing is served that is not
 * paid.
 */

async function openRemoteShop(t: TestContext, env: Record<string, string> = {}) {
  const ledger = await openDevnet(t)
  const upstream = await FaultyNode.start(t, { ledger })
  const nodes = { NODE_NETWORK: 'dev', NODE_WS_URLS: ledger.wsUrl }
  // Another gateway on the same ledger is the honest facilitator.
  const other = await openGateway(t, { ...nodes, NODE_URLS: ledger.rpcUrl })
  const facilitator = await openFacilitator(t, other.url)
  const gateway = await openGateway(t, {
    ...nodes,
    NODE_URLS: upstream.url,
    X402_PAY_TO: SHOP.address,
    X402_FACILITATOR_URL: `${facilitator.url}/facilitator/`,
    // Far longer than a confirmation takes; only who waits for what never comes waits so long.
    X402_TIMEOUT_SECONDS: '30',
    ...env,
  })
  return { ...gateway, node: ledger.node, upstream, facilitator }
}

const row = (app: Awaited<ReturnType<typeof openRemoteShop>>['app']) =>
  app.store.db.selectFrom('x402_payments').select(['state', 'block_hash']).execute()

test('an honest facilitator settles; ours broadcasts nothing itself', async (t) => {
  const { call, node, upstream, facilitator } = await openRemoteShop(t)
  const payer = await openPayer(node)
  const block = paymentBlock(node, payer)
  const reply = await call('work_generate', { hash: newHash() }, signed(block))
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(responseOf(reply).transaction, hashBlock(block))
  assert.equal(upstream.hits('process'), 0)
  assert.equal(paymentsOnLedger(node), 1)
  const { body } = facilitator.calls.find(({ path }) => path === '/facilitator/settle')!
  // Strict facilitators want the whole block in its canonical form, and `extra`.
  const requirements = { ...TERMS, maxTimeoutSeconds: 30, extra: {} }
  assert.deepEqual(body, {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: requirements, payload: { block: toBlockJson(block) } },
    paymentRequirements: requirements,
  })
})

const NO_OUTCOMES: [string, Script][] = [
  ['503', () => raw(503, '{"error":"busy"}')],
  ['429', () => raw(429, '{"error":"slow down"}')],
  ['HTML', () => raw(200, '<!doctype html><title>Welcome to nginx!</title>')],
  ['nothing', () => raw(200, '')],
  ['a list', () => raw(200, '[true]')],
  ['an object without a verdict', () => ({ message: 'fine' })],
  ['words for truth', () => ({ isValid: 'yes', success: 'yes' })],
  ['a redirect', () => raw(307, '', { location: 'http://127.0.0.1:1/' })],
  ['a megabyte', () => raw(200, JSON.stringify({ isValid: true, success: true, padding: 'x'.repeat(1 << 20) }))],
  ['a cut connection', () => (response) => void response.destroy()],
  [
    'its own trouble',
    () => ({ isValid: false, invalidReason: 'node_unavailable', success: false, errorReason: 'rpc' }),
  ],
  ['a structured 500', () => raw(500, '{"success":false,"errorReason":"unexpected_settle_error","isValid":false}')],
]

test('503 if the facilitator cannot verify a payment: nothing is claimed, nothing is sent', async (t) => {
  const { call, node, upstream, facilitator, app } = await openRemoteShop(t)
  const payer = await openPayer(node)
  for (const [what, script] of NO_OUTCOMES) {
    await t.test(what, async () => {
      facilitator.verify = script
      const reply = await call('work_generate', { hash: newHash() }, signed(paymentBlock(node, payer)))
      assert.deepEqual([reply.status, reply.json().code], [503, 'payment_unavailable'], reply.text)
      assert.equal(responseOf(reply).errorReason, 'unexpected_verify_error')
      assert.equal(reply.headers['payment-required'], undefined)
    })
  }
  assert.deepEqual(await row(app), [])
  assert.ok(!facilitator.calls.some(({ path }) => path.endsWith('/settle')))
  assert.equal(upstream.hits('process'), 0)
})

test('503 a facilitator that leaves a settlement open: the same request goes on later, and pays once', async (t) => {
  const { call, node, facilitator, app } = await openRemoteShop(t)
  const payer = await openPayer(node)
  for (const [what, script] of NO_OUTCOMES) {
    await t.test(what, async () => {
      facilitator.settle = script
      const block = paymentBlock(node, payer)
      const hash = newHash()
      const before = paymentsOnLedger(node)
      const open = await call('work_generate', { hash }, signed(block))
      assert.deepEqual([open.status, open.json().code], [503, 'settlement_pending'], open.text)
      assert.equal(responseOf(open).transaction, hashBlock(block))
      assert.equal(open.headers['payment-required'], undefined)
      facilitator.settle = () => 'honest'
      const reply = await call('work_generate', { hash }, signed(block))
      assert.equal(reply.status, 200, reply.text)
      assert.equal(paymentsOnLedger(node), before + 1)
    })
  }
  assert.ok((await row(app)).every(({ state }) => state === 'served'))
})

test('200 a facilitator that did its work and failed to say so: the ledger says it', async (t) => {
  const { call, node, facilitator } = await openRemoteShop(t)
  const payer = await openPayer(node)
  const pending = JSON.stringify({ success: false, errorReason: 'settlement_pending', transaction: '', network: 'x' })
  const sayings: Script[] = [() => raw(500, pending), () => raw(502, '<html>'), () => raw(200, '{"success":false}')]
  for (const say of sayings) {
    const block = paymentBlock(node, payer)
    facilitator.settle = (request) => (response) =>
      void publish(node, block).then(() => (say(request) as ReturnType<typeof raw>)(response))
    const reply = await call('work_generate', { hash: newHash() }, signed(block))
    assert.equal(reply.status, 200, reply.text)
  }
})

test('503 a facilitator that lies about a success: nothing on our ledger, nothing served', async (t) => {
  const { call, node, upstream, facilitator } = await openRemoteShop(t, { X402_TIMEOUT_SECONDS: '1' })
  const lies = [
    (hash: string) => hash,
    (hash: string) => hash.toLowerCase(),
    newHash,
    () => '',
    () => 'x'.repeat(10_000),
  ]
  for (const lie of lies) {
    const block = paymentBlock(node, await openPayer(node))
    const transaction = lie(hashBlock(block))
    facilitator.settle = () => ({ success: true, transaction, network: TERMS.network })
    const reply = await call('work_generate', { hash: newHash() }, signed(block))
    assert.deepEqual([reply.status, reply.json().code], [503, 'settlement_pending'], reply.text)
    assert.equal(responseOf(reply).transaction, hashBlock(block))
  }
  assert.equal(upstream.hits('work_generate'), 0)
  assert.equal(paymentsOnLedger(node), 0)
})

test('402 a facilitator that calls a bad payment good is not asked about it', async (t) => {
  const { call, node, facilitator, upstream } = await openRemoteShop(t)
  const payer = await openPayer(node)
  facilitator.verify = () => ({ isValid: true })
  facilitator.settle = () => ({ success: true, transaction: '', network: TERMS.network })
  const less = { 'payment-signature': encode(payloadOf(paymentBlock(node, payer, 1n))) }
  assertRefused(await call('work_generate', { hash: newHash() }, less), 'invalid_exact_nano_payload_amount_mismatch')
  assert.deepEqual(facilitator.calls, [])
  assert.equal(upstream.hits('process'), 0)
})

test('402 a definite no of the facilitator is a no, when the ledger has nothing either', async (t) => {
  const { call, node, facilitator, app } = await openRemoteShop(t)
  const payer = await openPayer(node)
  const block = paymentBlock(node, payer)
  facilitator.verify = () => ({ isValid: false, invalidReason: 'invalid_exact_nano_payload_signature' })
  const refused = await call('work_generate', { hash: newHash() }, signed(block))
  assertRefused(refused, 'invalid_exact_nano_payload_signature')
  facilitator.verify = () => ({ isValid: false, invalidReason: '<script>we do not like you</script>' })
  assertRefused(await call('work_generate', { hash: newHash() }, signed(block)), 'invalid_transaction_state')

  facilitator.verify = () => 'honest'
  facilitator.settle = () => ({ success: false, errorReason: 'insufficient_funds', transaction: '', network: 'x' })
  const hash = newHash()
  const reply = await call('work_generate', { hash }, signed(block))
  assert.deepEqual([reply.status, reply.json().code], [402, 'invalid_transaction_state'], reply.text)
  assert.equal(requiredOf(reply).error, 'invalid_transaction_state')
  assert.deepEqual([responseOf(reply).success, responseOf(reply).errorReason], [false, 'insufficient_funds'])
  const rows = await row(app)
  assert.deepEqual([rows.length, rows[0]!.state], [1, 'rejected'])
  facilitator.settle = () => 'honest'
  assert.equal((await call('work_generate', { hash }, signed(block))).status, 200)
})

test('503 a facilitator that does not settle on our network; the price is reported all the same', async (t) => {
  const { call, node, facilitator } = await openRemoteShop(t)
  const payer = await openPayer(node)
  facilitator.supported = () => ({ kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }] })
  const reply = await call('work_generate', { hash: newHash() }, signed(paymentBlock(node, payer)))
  assert.deepEqual([reply.status, reply.json().code], [503, 'payment_unavailable'])
  assert.equal((await call('work_generate')).status, 402)
})

test('503 a facilitator that hangs is left in time, and again for the settlement', async (t) => {
  const clock = new TestClock()
  const ledger = await openDevnet(t)
  const other = await openGateway(t, { NODE_NETWORK: 'dev', NODE_URLS: ledger.rpcUrl })
  const facilitator = await openFacilitator(t, other.url)
  const paid = { X402_PAY_TO: SHOP.address, X402_FACILITATOR_URL: `${facilitator.url}/facilitator` }
  const env = { NODE_NETWORK: 'dev', NODE_URLS: ledger.rpcUrl, ...paid, X402_TIMEOUT_SECONDS: '20' }
  const { call } = await openGateway(t, env, clock)
  const payer = await openPayer(ledger.node)
  const header = signed(paymentBlock(ledger.node, payer))
  const hash = newHash()
  const called = (path: string) => () => facilitator.calls.some((call) => call.path.endsWith(path))

  facilitator.verify = () => 'hang'
  const verifying = call('work_generate', { hash }, header)
  await until(called('/verify'))
  clock.advance(10_000)
  assert.equal((await verifying).json().code, 'payment_unavailable')

  facilitator.verify = () => 'honest'
  facilitator.settle = () => 'hang'
  const settling = call('work_generate', { hash }, header)
  await until(called('/settle'))
  clock.advance(25_000)
  assert.equal((await settling).json().code, 'settlement_pending')
  assert.equal(paymentsOnLedger(ledger.node), 0)
})
