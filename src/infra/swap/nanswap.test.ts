import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { readFixture } from '../../../test/support/recorded.ts'
import { until } from '../../../test/support/until.ts'
import { nanswap } from './nanswap.ts'
import { serveWhole } from '../../../test/support/serve.ts'

type Answers = Record<string, unknown>

const DOCUMENTED = readFixture('providers/nanswap.documented.json') as Record<string, Record<string, unknown>>
const ORDER = DOCUMENTED['create-order']!
const DAY = 86_400_000

/**
 * A swap service on loopback. It answers 500 to what it has no answer for; a number is a status, null means no answer.
 */
async function open(t: TestContext, changes: Answers = {}) {
  const asked: { path: string; body: string; key: unknown }[] = []
  const answers: Answers = { ...DOCUMENTED, ...changes }
  const url = await serveWhole(t, (body, request, response) => {
    asked.push({ path: request.url!, body, key: request.headers['nanswap-api-key'] })
    const answer = answers[new URL(request.url!, 'http://x').pathname.slice(1)]
    if (answer === null) return
    const status = typeof answer === 'number' ? answer : answer === undefined ? 500 : 200
    response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? {}))
  })
  const clock = new TestClock()
  const provider = nanswap({ url, key: 'secret', clock })
  const wanted = { from: 'nano', to: 'ban', amount: '1', address: 'ban_1', refundAddress: 'nano_1' }
  const request = { id: 'swp_1', ...wanted, expiresAt: clock.now() + DAY }
  const followed = { ...request, reference: 'zYkxDxfmYRM', receive: '87.65', status: 'waiting' as const }
  return { provider, asked, answers, clock, request, followed }
}

const hasCode = (code: string) => (error: unknown) => (error as { code?: string }).code === code

test('an order is placed with the service’s own currency codes, and followed to its end (contract 4.1, rule 24)', async (t) => {
  const { provider, asked, request, followed } = await open(t)
  assert.deepEqual(await provider.open(request), {
    reference: ORDER.id,
    depositAddress: ORDER.payinAddress,
    receive: '87.65',
  })
  assert.equal(asked[0]!.path, '/get-limits?from=XNO&to=BAN')
  const order = { from: 'XNO', to: 'BAN', amount: 1, toAddress: 'ban_1', refundAddress: 'nano_1' }
  assert.deepEqual(JSON.parse(asked[1]!.body), { ...order, maxDurationSeconds: 86_400 })
  assert.equal(asked[1]!.key, 'secret')
  assert.equal(await provider.follow(followed), 'finished')
  assert.equal(asked[2]!.path, '/get-order?id=zYkxDxfmYRM')
})

// A deposit without its memo would be lost, and we send no memos.
test('currencies that need a memo are not offered, and an order that needs one is not taken', async (t) => {
  const { provider, request } = await open(t, { 'create-order': { ...ORDER, payinExtraId: '77' } })
  assert.deepEqual(await provider.currencies(), ['nano', 'ban', 'usdc-base'])
  await assert.rejects(provider.open(request), /memo/)
})

test('an order that differs from the request is not passed on', async (t) => {
  for (const change of [
    { payoutAddress: 'ban_thief' },
    { expectedAmountFrom: 100 },
    { from: 'BAN' },
    { to: 'DOGE' },
    { expectedAmountTo: -1 },
    { payinAddress: 7 },
    { id: '' },
  ]) {
    const { provider, request } = await open(t, { 'create-order': { ...ORDER, ...change } })
    await assert.rejects(provider.open(request), Error, JSON.stringify(change))
  }
})

test('400 for an amount outside the limits, or longer than the service can count, and when the service refuses, as often as it does', async (t) => {
  const { provider, asked, answers, request } = await open(t)
  for (const amount of ['0.019', '5000.6', '1.0000000000000001']) {
    await assert.rejects(provider.open({ ...request, amount }), hasCode('invalid_amount'), amount)
  }
  assert.ok(asked.every(({ path }) => !path.startsWith('/create-order')))
  answers['create-order'] = 400
  for (let i = 0; i < 5; i++) await assert.rejects(provider.open(request), hasCode('invalid_request'))
})

test('garbage and outages are failures, and a status it does not know changes nothing', async (t) => {
  for (const answer of [500, '<html>', [], { id: 7 }]) {
    const { provider, request } = await open(t, { 'all-currencies': answer, 'create-order': answer, 'get-order': 500 })
    await assert.rejects(provider.open(request))
    if (!('id' in Object(answer))) await assert.rejects(provider.currencies())
  }
  const { provider, followed } = await open(t, { 'get-order': { status: 'dancing' } })
  assert.equal(await provider.follow(followed), 'waiting')
})

test('a service that never answers delays a caller at most by its time limit, and is then suspended', async (t) => {
  const { provider, asked, clock, request } = await open(t, { 'get-limits': null })
  for (let i = 1; i <= 3; i++) {
    const waiting = provider.open(request)
    await until(() => asked.length === i)
    clock.advance(8_000)
    await assert.rejects(waiting, /no answer in time/)
  }
  await assert.rejects(provider.open(request), /backed off/)
  assert.equal(asked.length, 3)
})

test('its currencies outlive an outage', async (t) => {
  const { provider, answers, clock } = await open(t)
  const before = await provider.currencies()
  answers['all-currencies'] = 503
  clock.advance(3_600_000)
  assert.deepEqual(await provider.currencies(), before)
})

// The service has no status for this, and would be asked for ever.
test('an order that nobody paid expires a day after its time', async (t) => {
  const { provider, clock, followed } = await open(t, {
    'get-order': { ...DOCUMENTED['get-order'], status: 'waiting' },
  })
  assert.equal(await provider.follow(followed), 'waiting')
  clock.advance(DAY + 1)
  assert.equal(await provider.follow(followed), 'waiting', 'a transfer may be on its way')
  clock.advance(DAY)
  assert.equal(await provider.follow(followed), 'expired')
})
