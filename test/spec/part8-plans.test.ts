import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { type TestContext, test } from 'node:test'
import type { Clock } from '../../src/kernel/ports.ts'
import { Signer } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { type Customer } from '../support/customer.ts'
import { openDevnet } from '../support/devnet.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { type Gateway, type Reply, ask, openGateway } from '../support/gateway.ts'
import { newHash } from '../support/random.ts'
import { until } from '../support/until.ts'
import { SHOP, requiredOf } from '../support/x402-steps.ts'
import { row } from './row.ts'

/* Contract 8, Plans and Credits: limits by plan, and costs. */

const MINUTE = 60_000
const ANONYMOUS = { LIMIT_ANONYMOUS_PER_MINUTE: '60', LIMIT_ANONYMOUS_CONCURRENCY: '10' }

/** Cached work costs nothing, so each request needs a new root. */
const newWork = () => ({ hash: newHash() })
type Work = { credits: number; cached: boolean; work: string }

const creditsOf = async ({ call }: Gateway, { headers }: Customer) =>
  (await call('rpc_credits', {}, headers)).json<{ credits: number; plan: string; usage: object }>()

/** A gateway with a node that can delay its answers. */
async function openBehindNode(t: TestContext, env: Record<string, string>, clock: Clock) {
  const ledger = await openDevnet(t)
  const node = await FaultyNode.start(t, { ledger })
  const nodes = { NODE_URLS: node.url, NODE_WS_URLS: ledger.wsUrl, NODE_NETWORK: 'dev', NODE_CONNECTIONS_MAX: '300' }
  const gateway = await openGateway(t, { ...nodes, ...env }, clock)
  return { node, gateway }
}

test('10 requests at once without a key, 50 with one, 200 with credits; one more has to wait a second (contract 8, rule 3)', async (t) => {
  const clock = new TestClock()
  const { node, gateway } = await openBehindNode(t, ANONYMOUS, clock)
  const free = await gateway.join()
  const prepaid = await gateway.join()
  await prepaid.grant(1)
  const release = node.hold('account_info')
  let accounts = 100
  const read = (headers = {}) => gateway.call('account_info', { account: new Signer(accounts++).address }, headers)
  const running: Promise<Reply>[] = []
  for (const [most, headers] of [
    [10, {}],
    [50, free.headers],
    [200, prepaid.headers],
  ] as const) {
    for (let at = 0; at < most; at++) running.push(read(headers))
    await until(() => node.hits('account_info') === running.length)
    const refused = await read(headers)
    row('8, Plans: anonymous, by IP, free key, prepaid, credits > 0', () =>
      assert.deepEqual([refused.status, refused.json().error], [429, 'Too many requests.']),
    )
    assert.deepEqual([refused.headers['retry-after'], refused.json().retry_after], ['1', 1])
  }
  release()
  for (const { status } of await Promise.all(running)) assert.equal(status, 200)
  assert.equal((await read()).status, 200, 'whoever leaves makes room')
})

test('a public key has its own limits at each address, work as without any key, and does not use those of its account', async (t) => {
  const clock = new TestClock()
  const env = { ...ANONYMOUS, FREE_WORK_ANONYMOUS_PER_HOUR: '5', TRUSTED_PROXIES: 'loopback' }
  const { node, gateway } = await openBehindNode(t, env, clock)
  const customer = await gateway.join()
  await customer.grant(1)
  const origin = 'https://shop.example'
  const key = await customer.issue('public', [origin])
  const from = (address: string) => ({ key, origin, 'x-forwarded-for': address })
  const [here, there] = [from('203.0.113.1'), from('203.0.113.2')]
  const release = node.hold('account_info')
  const running = Array.from({ length: 10 }, (_, at) =>
    gateway.call('account_info', { account: new Signer(500 + at).address }, here),
  )
  await until(() => node.hits('account_info') === 10)
  const atOnce = await gateway.call('version', {}, here)
  release()
  await Promise.all(running)
  clock.advance(MINUTE)
  const works: [number, number | undefined][] = []
  for (let count = 0; count < 6; count++) {
    const { status, json } = await gateway.call('work_generate', newWork(), here)
    works.push([status, json<Partial<Work>>().credits])
  }
  clock.advance(MINUTE)
  const limits = async (headers: Record<string, string>) => {
    const { status, headers: told } = await gateway.call('version', {}, headers)
    return [status, told['ratelimit-limit'], told['ratelimit-remaining']]
  }
  for (let left = 59; left >= 0; left--) assert.deepEqual(await limits(here), [200, '60', `${left}`])
  const [over, elsewhere, account] = [await limits(here), await limits(there), await limits(customer.headers)]
  const { credits } = await creditsOf(gateway, customer)
  row('8, Plans: public key, by key and IP', () => {
    assert.equal(atOnce.status, 429)
    assert.deepEqual(works, [...Array.from({ length: 5 }, () => [200, 0]), [429, undefined]])
    assert.deepEqual(over, [429, '60', '0'])
    assert.deepEqual(elsewhere, [200, '60', '59'])
    assert.deepEqual([account, credits], [[200, '3000', '2999'], 1])
  })
})

test('600 requests a minute with a key, and 3,000 with credits (contract 8, Plans: free key, prepaid, credits > 0; 8, rule 2; 5, rule 2)', async (t) => {
  const clock = new TestClock()
  const gateway = await openGateway(t, {}, clock)
  const free = await gateway.join()
  const agent = new Agent({ keepAlive: true, maxSockets: 10 })
  t.after(() => agent.destroy())
  const version = ({ headers }: Customer) => ask(gateway.url, { body: '{"action":"version"}', headers, agent })
  for (let batch = 0; batch < 60; batch++) {
    const replies = await Promise.all(Array.from({ length: 10 }, () => version(free)))
    for (const { status } of replies) assert.equal(status, 200)
  }
  const refused = await version(free)
  assert.deepEqual([refused.status, refused.headers['ratelimit-limit']], [429, '600'])
  clock.advance(MINUTE / 600)
  assert.deepEqual([(await version(free)).status, (await version(free)).status], [200, 429])
  const prepaid = await gateway.join()
  await prepaid.grant(1)
  for (const remaining of ['2999', '2998']) {
    const { headers } = await version(prepaid)
    assert.deepEqual([headers['ratelimit-limit'], headers['ratelimit-remaining']], ['3000', remaining])
  }
})

test('work: 5 an hour for an address, or a price where paid work is on (contract 8, Plans: anonymous, by IP; 8, rules 3, 4 and 7; 4.7, rule 5)', async (t) => {
  const clock = new TestClock()
  const gateway = await openGateway(t, { FREE_WORK_ANONYMOUS_PER_HOUR: '5' }, clock)
  for (let count = 0; count < 5; count++) {
    const { status, json } = await gateway.call('work_generate', newWork())
    assert.deepEqual([status, json<Work>().credits], [200, 0])
  }
  clock.advance(MINUTE)
  const refused = await gateway.call('work_generate', newWork())
  assert.deepEqual([refused.status, refused.json().retry_after], [429, 59 * 60])
  clock.advance(59 * MINUTE)
  assert.equal((await gateway.call('work_generate', newWork())).status, 200)

  // Failed requests are not charged.
  const dead = await openGateway(t, { FREE_WORK_ANONYMOUS_PER_HOUR: '1', NODE_URLS: 'http://127.0.0.1:1' })
  for (let count = 0; count < 3; count++) assert.equal((await dead.call('work_generate', newWork())).status, 503)

  const shop = await openGateway(t, { X402_PAY_TO: SHOP.address, FREE_WORK_ANONYMOUS_PER_HOUR: '5' })
  const priced = await shop.call('work_generate', newWork())
  assert.deepEqual([priced.status, requiredOf(priced).payTo], [402, SHOP.address])
})

test('work: 30 in 30 minutes with a key, then a credit each; with credits one each, and what was ready nothing (contract 8, Plans: free key, prepaid, credits > 0; 8, rules 8 and 10; 7, Texts and codes: metered action without credits; 4.1, Keys and credits: rpc_credits; 2, Work result: credits, cached)', async (t) => {
  const clock = new TestClock()
  const gateway = await openGateway(t, {}, clock)
  const customer = await gateway.join()
  const generate = (request = newWork()) => gateway.call('work_generate', request, customer.headers)
  for (let count = 0; count < 30; count++) {
    const { status, json } = await generate()
    assert.deepEqual([status, json<Work>().credits, json<Work>().cached], [200, 0, false])
  }
  assert.deepEqual((await creditsOf(gateway, customer)).plan, 'free')
  const refused = await generate()
  assert.deepEqual([refused.status, refused.json().code], [403, 'insufficient_credits'])
  assert.match(refused.json().error!, /buy_rpc/)
  clock.advance(30 * MINUTE - 1)
  assert.equal((await generate()).status, 403)
  clock.advance(1)
  assert.equal((await generate()).json<Work>().credits, 0)

  await customer.grant(2)
  const request = newWork()
  const paid = (await generate(request)).json<Work>()
  assert.deepEqual([paid.credits, paid.cached], [1, false])
  const again = (await generate(request)).json<Work>()
  assert.deepEqual([again.credits, again.cached, again.work], [0, true, paid.work])
  await gateway.app.usage.flush()
  const { credits, plan, usage } = await creditsOf(gateway, customer)
  const today = new Date(clock.now()).toISOString().slice(0, 10)
  assert.deepEqual([credits, plan], [1, 'prepaid'])
  assert.equal((usage as Record<string, Record<string, number>>)[today]!.work_generate, 33)
})
