import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../support/clock.ts'
import { type Reply, openGateway } from '../support/gateway.ts'
import { Signer } from '../support/blocks.ts'
import { row } from './row.ts'

/* Contract 8: sizes and rates of requests, and what a caller over a limit is told. */

const MIB = 1024 * 1024
const bodyOf = (bytes: number) => {
  const frame = '{"action":"block_count","padding":""}'
  return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
}
const rateOf = ({ headers }: Reply) => [
  headers['ratelimit-limit'],
  headers['ratelimit-remaining'],
  headers['ratelimit-reset'],
]

test('sixty requests a minute for each address without a key: every answer has the remaining number, the next one the time to retry (contract 8, rules 1, 2, 3 and 4; 8, Plans: anonymous, by IP; 7, Status codes: 429; 7, Texts and codes: over a limit; 7, Body: retry_after)', async (t) => {
  const clock = new TestClock()
  const gateway = await openGateway(t, { LIMIT_ANONYMOUS_PER_MINUTE: '60' }, clock)
  const { call, post } = gateway
  const kinds: [ask: () => Promise<Reply>, status: number][] = [
    [() => call('version'), 200],
    [() => call('account_info', { account: new Signer(7).address }), 200],
    [() => call('no_such_action'), 400],
    [() => post('{'), 400],
    [() => post('[]'), 400],
    [() => call('account_info', { account: 'nano_1' }), 400],
    [() => call('version', { key: 'wrong' }), 401],
    [() => call('cloud_wallet', { list: true }), 401],
    [() => post(bodyOf(MIB + 1)), 413],
  ]
  for (const [at, [request, status]] of kinds.entries()) {
    const reply = await request()
    assert.equal(reply.status, status, reply.text)
    assert.deepEqual(rateOf(reply), ['60', `${59 - at}`, `${1 + at}`])
  }
  for (let remaining = 59 - kinds.length; remaining >= 0; remaining--) {
    assert.deepEqual(rateOf(await call('version')), ['60', `${remaining}`, `${60 - remaining}`])
  }
  const refused = await call('version')
  assert.equal(refused.status, 429)
  const text = 'Too many requests.'
  const detail = '60 requests a minute from one address without a key. A key has limits of its own: rpc_key.'
  row('7, Body: detail', () =>
    assert.deepEqual(refused.json(), { error: text, message: text, code: 'too_many_requests', detail, retry_after: 1 }),
  )
  assert.deepEqual([refused.headers['retry-after'], ...rateOf(refused)], ['1', '60', '0', '60'])
  assert.equal(refused.headers['access-control-allow-origin'], '*')
  // A header without a trusted proxy must not change the caller's address, and a body that is too large counts too.
  assert.equal((await call('version', {}, { 'x-forwarded-for': '203.0.113.9' })).status, 429)
  assert.equal((await post(bodyOf(MIB + 1))).status, 429)
  // The limit recovers continuously: each second allows one more request.
  clock.advance(1_000)
  assert.deepEqual([(await call('version')).status, (await call('version')).status], [200, 429])
  clock.advance(60_000)
  assert.deepEqual(rateOf(await call('version')), ['60', '59', '1'])
  // An account has its own limit, whatever its address has used.
  const { headers } = await gateway.join()
  assert.deepEqual(rateOf(await call('version', {}, headers)), ['600', '599', '1'])
})

test('behind a trusted proxy every address counts for itself, in IPv6 every /64; the numbers are configuration (contract 8, rules 1 and 4)', async (t) => {
  const clock = new TestClock()
  const settings = { TRUSTED_PROXIES: 'loopback', LIMIT_ANONYMOUS_PER_MINUTE: '2', LIMIT_FREE_PER_MINUTE: '3' }
  const gateway = await openGateway(t, { ...settings, LIMIT_PREPAID_PER_MINUTE: '4' }, clock)
  const from = async (address: string) => {
    const reply = await gateway.call('version', {}, { 'x-forwarded-for': address })
    return `${reply.status} ${String(reply.headers['ratelimit-remaining'])}`
  }
  for (const told of ['200 1', '200 0', '429 0']) assert.equal(await from('203.0.113.1'), told)
  assert.equal(await from('203.0.113.2'), '200 1')
  // The client is the address that the nearest proxy reports; earlier entries are ignored.
  assert.equal(await from('198.51.100.7, 203.0.113.2'), '200 0')
  assert.equal(await from('2001:db8:1:2::1'), '200 1')
  assert.equal(await from('2001:db8:1:2:ffff::9'), '200 0')
  assert.equal(await from('2001:db8:1:3::1'), '200 1')
  const [free, prepaid] = [await gateway.join(), await gateway.join()]
  await prepaid.grant(1)
  const limit = async (headers: Record<string, string>) =>
    (await gateway.call('version', {}, headers)).headers['ratelimit-limit']
  assert.deepEqual([await limit(free.headers), await limit(prepaid.headers)], ['3', '4'])
})

test('a REST list has 25 entries by default, and 1 to 100 by its limit (contract 8, Requests: limit of a REST list; 4.5, rule 4)', async (t) => {
  const gateway = await openGateway(t, { LIMIT_FREE_PER_MINUTE: '0' })
  const { headers, key } = await gateway.join()
  const make = { address: new Signer(9).address, amount: '1' }
  for (let count = 0; count < 26; count++) assert.equal((await gateway.call('checkout', make, headers)).status, 200)
  const list = (query: string) => gateway.rest('GET', `/api/checkouts${query}`, key)
  const page = async (query: string) => {
    const { checkouts, limit, total } = (await list(query)).json<Record<string, unknown> & { checkouts: unknown[] }>()
    return [checkouts.length, limit, total]
  }
  assert.deepEqual(await page(''), [25, 25, 26])
  assert.deepEqual(await page('?limit=1'), [1, 1, 26])
  assert.deepEqual(await page('?limit=100'), [26, 100, 26])
  for (const limit of ['0', '101', '-1', 'many']) {
    const reply = await list(`?limit=${limit}`)
    assert.deepEqual([reply.status, reply.json().field], [400, 'limit'])
  }
})
