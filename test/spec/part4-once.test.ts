import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { NO_WORK, Signer, UNOPENED, nano } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { openDevnet } from '../support/devnet.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { type Reply, ask, bearer, openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { row } from './row.ts'
import { alice, bob } from './ledger-world.ts'
import { serve } from '../support/serve.ts'

/* Contract 4.1, rules 28 and 29: an action that makes or moves something does so once for each Idempotency-Key, at every endpoint. */

type Members = Record<string, unknown>

const BTC = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'

const assertConflict = (reply: Reply, code: string, what: string) =>
  assert.deepEqual([reply.status, reply.json().code], [409, code], `${what}: ${reply.text}`)

test('every product answers at the one endpoint, and again the same bytes to the same key, in the header or in the body; what cannot be read takes no key (contract 4.1, rule 28; 7, Status codes: 409; 7, Texts and codes: idempotency key used with another body; 9, Synonyms: money-moving actions)', async (t) => {
  const { call, app } = await openGateway(t, { DEVNET_TREASURY_NANO: '10', LIMIT_FREE_PER_MINUTE: '0' })
  const { node } = app.devnet!
  const authorization = `Bearer ${app.createdKey}`
  const signer = new Signer(1, node.ledger.thresholds)
  const opening = signer.receive(UNOPENED, await node.fund(alice.key, nano(10)), nano(10))
  const { db } = app.store
  const treasury = () => db.selectFrom('wallets').select('balance_raw').where('purpose', '=', 'treasury').execute()
  await until(async () => (await treasury())[0]?.balance_raw !== '0')
  const swap = { amount: 1, from: 'nano', to: 'btc', address: BTC, refund_address: alice.address }
  const gift = { refund_address: alice.address, amount: '1', emails: ['bob@example.com'] }
  /** Each with one change that makes it a different request. */
  const actions: [action: string, fields: Members, other: Members][] = [
    ['process', { block: toBlockJson(opening), subtype: 'open' }, { subtype: 'receive' }],
    ['checkout', { address: alice.address, amount: '1' }, { amount: '2' }],
    ['cloud_wallet', { expire: '1 day', refund_address: alice.address }, { expire: '2 days' }],
    ['nano_email', gift, { amount: '2' }],
    ['nano_swap', swap, { amount: 2 }],
    ['faucet_claim', { nano_address: bob.address }, { nano_address: alice.address }],
    ['get_name', { name: 'somebody' }, { name: 'else' }],
    ['buy_rpc', { email: 'bob@example.com' }, { email: 'eve@example.com' }],
    ['rpc_key', { email: 'bob@example.com' }, { email: 'eve@example.com' }],
  ]
  for (const [action, fields, other] of actions) {
    const named = { authorization, 'idempotency-key': 'order-1' }
    const first = await call(action, fields, named)
    row('4.1, Payments, wallets, faucet, swap: checkout, cloud_wallet, nano_email, nano_swap, faucet_claim', () =>
      assert.equal(first.status, 200, `${action}: ${first.text}`),
    )
    assert.equal(first.headers['idempotent-replayed'], undefined)
    // The same key in its other form.
    const again = await call(action, { ...fields, idempotency_key: 'order-1' }, { authorization })
    const replayed = again.headers['idempotent-replayed']
    assert.deepEqual([again.status, again.text, replayed], [200, first.text, 'true'], action)
    assertConflict(await call(action, { ...fields, ...other }, named), 'idempotency_conflict', action)
  }
  assert.equal((await db.selectFrom('checkouts').select('id').where('owner', '<>', 'service').execute()).length, 1)
  assert.equal((await db.selectFrom('faucet_claims').select('id').execute()).length, 1)
  assert.equal((await db.selectFrom('swaps').select('id').execute()).length, 1)
  assert.equal((await call('account_info', { account: alice.address })).json().block_count, '1')
  const { id, ...quote } = (await call('nano_swap', swap, { authorization })).json<Members>()
  const followed = (await call('nano_swap_status', { id })).json<unknown>()
  row('4.1, Payments, wallets, faucet, swap: nano_swap_status', () => assert.deepEqual(followed, { id, ...quote }))

  for (const key of ['', 'k'.repeat(256), 7]) {
    const refused = await call('checkout', { address: alice.address, amount: '1', idempotency_key: key })
    assert.deepEqual([refused.status, refused.json().field], [400, 'idempotency_key'])
  }
  const unused = { 'idempotency-key': 'order-2' }
  assert.equal((await call('rpc_key', { email: 'nobody' }, unused)).status, 400)
  assert.equal((await call('rpc_key', { email: 'alice@example.com' }, unused)).status, 200)
})

test('while the first request of a key is in flight, a second one is 409 at every endpoint, and later gets its answer (contract 4.1, rule 29; 7, Status codes: 409)', async (t) => {
  const ledger = await openDevnet(t, { thresholds: NO_WORK })
  const node = await FaultyNode.start(t, { ledger })
  const gate = Promise.withResolvers<void>()
  let priced = 0
  const priceUrl = await serve(t, (_request, response) => {
    priced++
    void gate.promise.then(() => response.end('{"nano":{"usd":0.8}}'))
  })
  const env = { NODE_URLS: node.url, NODE_NETWORK: 'dev', PRICE_PROVIDERS: 'coingecko', COINGECKO_URL: priceUrl }
  // With a clock that stands still, no request times out.
  const { url, call, app } = await openGateway(t, env, new TestClock())
  const opening = alice.receive(UNOPENED, await ledger.node.fund(alice.key, nano(10)), nano(10))
  const headers = { ...bearer(app.createdKey!), 'content-type': 'application/json', 'idempotency-key': 'once' }
  const sale = { address: alice.address, amount: '1', currency: 'USD' }
  const opens = { block: toBlockJson(opening), subtype: 'open' }
  const publish = (fields?: object) => call('process', { ...opens, ...fields }, headers)
  const sell = (fields?: object) =>
    ask(`${url}/api/checkouts`, { headers, body: JSON.stringify({ ...sale, ...fields }) })
  const endpoints: [ask: typeof publish, isUnderWay: () => boolean, other: object][] = [
    [publish, () => node.hits('process') === 1, { subtype: 'receive' }],
    [sell, () => priced === 1, { amount: '2' }],
  ]
  const letGo = node.hold('process')
  const firsts: Promise<Reply>[] = []
  for (const [send, isUnderWay, other] of endpoints) {
    firsts.push(send())
    await until(isUnderWay)
    const second = await send()
    assertConflict(second, 'idempotency_in_flight', 'the same body')
    assert.deepEqual([second.headers['retry-after'], second.json<Members>().retry_after], ['1', 1])
    assertConflict(await send(other), 'idempotency_conflict', 'another body')
  }
  letGo()
  gate.resolve()
  for (const [at, [send]] of endpoints.entries()) {
    const first = await firsts[at]!
    assert.ok(first.status === 200 || first.status === 201, first.text)
    const later = await send()
    assert.deepEqual([later.text, later.headers['idempotent-replayed']], [first.text, 'true'])
  }
  assert.deepEqual([node.hits('process'), priced], [1, 1])
})
