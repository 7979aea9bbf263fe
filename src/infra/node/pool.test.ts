import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { receiveFailures } from '../../../test/support/failures.ts'
import { testRandom } from '../../../test/support/random.ts'
import { WORK_THRESHOLDS } from '../../kernel/nano/work.ts'
import { UpstreamPool } from './pool.ts'
import type { UpstreamOptions } from './upstream.ts'

const ACCOUNTS = Array.from({ length: 20_000 }, (_, at) => `nano_${at}`)

/** A pool whose nodes are never called: only the order in which it would ask them matters here. */
function openPool(t: TestContext, nodes: Partial<UpstreamOptions>[], clock = new TestClock()): UpstreamPool {
  const options = nodes.map((node, at): UpstreamOptions => ({
    name: `node-${at + 1}`,
    url: 'http://127.0.0.1:1',
    wsUrl: undefined,
    role: 'primary',
    weight: 1,
    headers: {},
    connectionsMax: 1,
    ...node,
  }))
  const ledger = { network: 'dev', genesis: undefined, thresholds: WORK_THRESHOLDS.dev } as const
  const pool = new UpstreamPool(options, { clock, random: testRandom, failures: receiveFailures(), ledger })
  for (const upstream of pool.upstreams) upstream.belongs = true
  t.after(() => pool.close())
  return pool
}

const namesOf = (pool: UpstreamPool, key: string) => pool.order(key).map(({ options }) => options.name)
const firstOf = (pool: UpstreamPool, key: string) => pool.order(key)[0]!.options.name

/** The share of accounts that goes to each node first. */
function sharesOf(pool: UpstreamPool, accounts: readonly string[] = ACCOUNTS): Record<string, number> {
  const shares: Record<string, number> = {}
  for (const account of accounts) {
    const name = firstOf(pool, account)
    shares[name] = (shares[name] ?? 0) + 1 / accounts.length
  }
  return shares
}

test('accounts are spread over the nodes by weight, and neighbours do not fall together', (t) => {
  const pool = openPool(t, [{ weight: 1 }, { weight: 2 }, { weight: 5 }])
  const shares = sharesOf(pool)
  for (const { options } of pool.upstreams) {
    const expected = options.weight / 8
    assert.ok(Math.abs(shares[options.name]! - expected) < 0.015, JSON.stringify(shares))
  }
  const near = sharesOf(openPool(t, [{}, {}]), ACCOUNTS.slice(0, 400))
  assert.ok(near['node-1']! > 0.4 && near['node-1']! < 0.6, JSON.stringify(near))
})

test('one account is always served by the same node, in every process', (t) => {
  const pool = openPool(t, [{}, {}, {}])
  const reversed = openPool(t, [{ name: 'node-3' }, { name: 'node-2' }, { name: 'node-1' }])
  for (const account of ACCOUNTS.slice(0, 1_000)) {
    assert.deepEqual(namesOf(pool, account), namesOf(pool, account))
    assert.deepEqual(namesOf(reversed, account), namesOf(pool, account))
  }
})

test('losing a node moves only the accounts it served, and its return brings them back', (t) => {
  const pool = openPool(t, [{}, {}, {}, {}])
  const before = ACCOUNTS.map((account) => firstOf(pool, account))
  const lost = pool.upstreams[1]!
  lost.reachable = false
  const moved: string[] = []
  for (const [at, account] of ACCOUNTS.entries()) {
    if (before[at] === 'node-2') moved.push(account)
    else assert.equal(firstOf(pool, account), before[at])
  }
  const shares = sharesOf(pool, moved)
  for (const name of ['node-1', 'node-3', 'node-4']) assert.ok(Math.abs(shares[name]! - 1 / 3) < 0.03)
  lost.reachable = true
  const after = ACCOUNTS.map((account) => firstOf(pool, account))
  assert.deepEqual(after, before)
})

test('a fallback comes after every primary, however heavy it is', (t) => {
  const pool = openPool(t, [{ role: 'fallback', weight: 1e12 }, { weight: 0.001 }, {}])
  for (const account of ACCOUNTS) assert.equal(namesOf(pool, account)[2], 'node-1')
  pool.upstreams[1]!.reachable = false
  pool.upstreams[2]!.reachable = false
  assert.equal(firstOf(pool, 'nano_1'), 'node-1')
})

test('failing nodes are asked last, and lagging ones only if there is no other', (t) => {
  const pool = openPool(t, [{}, {}, {}])
  const [one, two, three] = pool.upstreams
  one!.lagging = true
  two!.reachable = false
  assert.deepEqual(namesOf(pool, 'nano_1'), ['node-3', 'node-2'])
  three!.reachable = false
  const order = namesOf(pool, 'nano_1')
  assert.deepEqual([order.slice(0, 2).sort(), order[2]], [['node-2', 'node-3'], 'node-1'])
})

test('the node that accepted a block is asked first about its accounts, for a minute and while healthy', (t) => {
  const clock = new TestClock()
  const pool = openPool(t, [{}, {}, {}], clock)
  const [first, second] = pool.order('nano_1')
  pool.hold(['nano_1', 'hash'], second!)
  assert.deepEqual(pool.order('nano_1')[0], second)
  assert.equal(pool.order('nano_1').length, 3)
  assert.equal(pool.order('other', ['something', 'hash'])[0], second)
  assert.equal(pool.order('nano_1', ['something'])[0], first)
  second!.lagging = true
  assert.equal(pool.order('nano_1')[0], first)
  second!.lagging = false
  clock.advance(60_000)
  assert.equal(pool.order('nano_1')[0], first)
})
