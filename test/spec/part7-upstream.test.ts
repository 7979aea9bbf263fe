import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey } from '../../src/kernel/api-key.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { Signer, nano, openAccount } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { openDevnet } from '../support/devnet.ts'
import { type Fault, FaultyNode } from '../support/faulty-node.ts'
import { openGateway } from '../support/gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { newHash, testRandom } from '../support/random.ts'
import { TcpRelay } from '../support/tcp-relay.ts'
import { until } from '../support/until.ts'
import { assertRefusal } from './refusal.ts'
import { bob } from './ledger-world.ts'
import { another } from '../support/another.ts'

/* Contract 7: answers when a dependency fails. */

const NO_NODE = 'No node available. Try again in a few seconds.'

test('a node that fails is left for another, one that answers is not, and without any the answer is 502 or 504 (contract 7, rules 2 and 6; 7, Texts and codes: no upstream node answers, upstream time-out; 7, Status codes: 5xx)', async (t) => {
  const clock = new TestClock()
  const ledger = await openDevnet(t)
  const alice = new Signer(1, WORK_THRESHOLDS.dev)
  await openAccount(ledger.node, alice, nano(10))
  const first = await FaultyNode.start(t, { ledger })
  const second = await FaultyNode.start(t, { ledger })
  const urls = { NODE_URLS: `${first.url},${second.url}#role=fallback`, NODE_WS_URLS: ledger.wsUrl }
  const { app, call } = await openGateway(t, { ...urls, NODE_NETWORK: 'dev', CACHE_BYTES_MAX: '0' }, clock)
  /** Failed nodes only get health checks, until one of those succeeds. */
  const recover = async () => {
    for (const node of [first, second]) await node.behave('none')
    await until(async () => {
      if (app.nodes.pool.upstreams.every(({ healthy }) => healthy)) return true
      clock.advance(1_000)
      await call('block_count')
      return false
    })
    for (const node of [first, second]) node.forgetHits()
  }
  const read = () => call('account_info', { account: alice.address })
  // The gateway reads accounts of its own as well.
  const hits = (node: FaultyNode) => node.bodies('account_info').filter((text) => text.includes(alice.address)).length
  const asked = () => [hits(first), hits(second)]

  await recover()
  const missing = await call('account_info', { account: bob.address })
  assert.deepEqual([missing.status, missing.json()], [200, { error: 'Account not found' }])
  assert.deepEqual([(await read()).status, ...asked()], [200, 1, 0])

  const faults: Fault[] = ['dead', 'status 500', 'status 429', 'html', 'garbage', 'rate limit', 'cut', 'mute']
  for (const fault of faults) {
    await recover()
    await first.behave(fault)
    const reading = read()
    if (fault === 'mute') {
      await until(() => hits(first) === 1)
      clock.advance(2_000)
    }
    const reply = await reading
    assert.deepEqual([reply.status, reply.json().balance], [200, nano(10).toString()], fault)
    assert.deepEqual(asked(), [fault === 'dead' ? 0 : 1, 1], fault)
  }

  await recover()
  for (const node of [first, second]) await node.behave('status 500')
  const body = { error: NO_NODE, message: NO_NODE }
  const none = await read()
  assert.deepEqual([none.status, none.json()], [502, { ...body, code: 'no_node' }])
  await recover()
  for (const node of [first, second]) await node.behave('mute', { actions: ['account_info'] })
  const late = read()
  await until(() => hits(first) === 1)
  clock.advance(2_000)
  await until(() => hits(second) === 1)
  clock.advance(3_000)
  const timedOut = await late
  assert.deepEqual([timedOut.status, timedOut.json()], [504, { ...body, code: 'node_timeout' }])
})

test('503 when no source makes work, with the time to retry (contract 7, Texts and codes: no work source, or a queue longer than the deadline; 7, Status codes: 503; 7, Body: retry_after)', async (t) => {
  const { call } = await openGateway(t, { WORK_NODES: 'false' })
  const reply = await call('work_generate', { hash: newHash() })
  assertRefusal(reply, 503, 'No work source available.', 'no_work')
  const { retry_after: seconds } = reply.json<{ retry_after: number }>()
  assert.ok(Number.isInteger(seconds) && seconds > 0)
  assert.equal(reply.headers['retry-after'], String(seconds))
})

test('503 with the time to retry while the store is down; a mistyped key is refused without the store (contract 7, Texts and codes: store out of reach; 7, Status codes: 503; 5, rule 14)', async (t) => {
  const { port, pathname } = new URL(await createDatabase())
  const store = await TcpRelay.start(Number(port))
  t.after(() => store.close())
  const { app, call } = await openGateway(t, {
    DATABASE_URL: `postgres://postgres@127.0.0.1:${store.port}${pathname}`,
    LIMIT_FREE_PER_MINUTE: '0',
  })
  const unknown = createApiKey('secret', testRandom)
  const checkout = () => call('checkout', { address: bob.address, amount: '1' })
  assert.equal((await checkout()).status, 200)
  store.cut()
  const text = 'The service cannot reach its store. Try again in a few seconds.'
  for (const reply of [await checkout(), await call('version', { key: unknown })]) {
    assertRefusal(reply, 503, text, 'store_unavailable')
    assert.deepEqual([reply.headers['retry-after'], reply.json<{ retry_after: number }>().retry_after], ['2', 2])
  }
  for (const typo of [another(unknown), unknown.replace('sk', 'pk'), `${app.createdKey}x`, 'wrong']) {
    assertRefusal(await call('version', { key: typo }), 401, 'Invalid API Key.', 'invalid_key')
  }
  assert.equal((await call('block_count')).status, 200, 'what needs no store is answered')
  store.open()
  await until(async () => (await checkout()).status === 200)
  assertRefusal(await call('version', { key: unknown }), 401, 'Invalid API Key.', 'invalid_key')
})
