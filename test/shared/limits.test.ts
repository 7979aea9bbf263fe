import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Redis } from 'ioredis'
import { systemClock } from '../../src/infra/clock.ts'
import { RedisLimiter, type RedisBurstOptions } from '../../src/infra/limits/redis-limiter.ts'
import type { LimitDecision, Clock } from '../../src/kernel/ports.ts'
import { TestClock } from '../support/clock.ts'
import { receiveFailures } from '../support/failures.ts'
import { openRedis, sharedRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

/* Limits shared by instances, on a real Redis. The server's clock runs; that of the instances stands still where needed. */

async function openBurst(t: TestContext, url: string, options: Partial<RedisBurstOptions> = {}): Promise<RedisLimiter> {
  const onError = receiveFailures().lost('limits.connection')
  const burst = await RedisLimiter.open({ url, clock: new TestClock(), onError, ...options })
  t.after(() => burst.close())
  return burst
}

/** How often a limiter that is on its own looks for its server. */
const PROBE = 500

/**
 * A clock on which leases do not expire and no answer of the server comes too late, however slow the machine is; only
 * looking for a server that is away takes its real time.
 */
const patientClock = (): Clock => {
  const start = systemClock.now()
  const never = () => () => undefined
  return { now: () => start, after: (wait, run) => (wait === PROBE ? systemClock.after(wait, run) : never()) }
}

/** Spends in turns until all instances refuse; returns how many each let through. */
async function drain(bursts: RedisLimiter[], key: string, perMinute: number): Promise<number[]> {
  const counts = bursts.map(() => 0)
  const refused = new Set<number>()
  for (let round = 0; refused.size < bursts.length; round++) {
    assert.ok(round < perMinute * 3, 'a limit has an end')
    for (const [at, burst] of bursts.entries()) {
      const { allowed } = await burst.take(key, perMinute)
      if (allowed) counts[at]!++
      else refused.add(at)
    }
  }
  return counts
}

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0)

test('two instances share one limit, exact to one lease each', async (t) => {
  const { url } = await sharedRedis()
  for (const perMinute of [60, 600, 3000]) {
    const bursts = [await openBurst(t, url), await openBurst(t, url)]
    const startedAt = performance.now()
    const counts = await drain(bursts, `two-share-${perMinute}`, perMinute)
    const earned = ((performance.now() - startedAt) / 60_000) * perMinute
    const lease = Math.max(1, Math.floor(perMinute / 240))
    assert.ok(sum(counts) >= perMinute, `${counts.join(' + ')} of ${perMinute}`)
    assert.ok(sum(counts) <= perMinute + 2 * lease + earned, `${counts.join(' + ')} of ${perMinute}, ${earned} earned`)
    assert.ok(Math.min(...counts) >= perMinute / 2 - 2 * lease, 'both were served')
  }
})

// The hot path: during a lease, a decision is a subtraction without a promise.
test('decides at once while it holds a lease, and asks once for all who wait', async (t) => {
  const { url } = await sharedRedis()
  const burst = await openBurst(t, url)
  const asked = [1, 2, 3].map(() => burst.take('at-once', 2400))
  assert.ok(asked.every((decision) => decision instanceof Promise))
  const first = await Promise.all(asked)
  for (const { allowed, limit } of first) assert.deepEqual([allowed, limit], [true, 2400])
  assert.ok(!(burst.take('at-once', 2400) instanceof Promise))
})

test('a burst at the same moment gets the limit and not one more', async (t) => {
  const { url } = await sharedRedis()
  const burst = await openBurst(t, url)
  // The next token is earned after ten seconds, so that the burst is one moment on any machine.
  const decisions = await Promise.all(Array.from({ length: 100 }, async () => burst.take('moment', 6)))
  const allowed = decisions.filter((decision) => decision.allowed)
  // A lease of one leaves nothing in hand, so each request sees one less than the one before it.
  assert.deepEqual(
    allowed.map(({ remaining }) => remaining),
    [5, 4, 3, 2, 1, 0],
  )
  const refusal = decisions.at(-1)!
  const { resetSeconds, retryAfterSeconds } = refusal
  assert.deepEqual(refusal, { allowed: false, limit: 6, remaining: 0, resetSeconds, retryAfterSeconds })
  assert.ok(retryAfterSeconds > 0 && retryAfterSeconds <= 10)
  assert.ok(resetSeconds > 50 && resetSeconds <= 60)
  assert.ok(!(burst.take('moment', 6) instanceof Promise), 'whoever hammers on is refused without asking')
})

// Requests spread over instances must not use up tokens that the instances leased but did not spend.
test('unused tokens of a lease are given back', async (t) => {
  const { url } = await sharedRedis()
  const clock = new TestClock()
  const burst = await openBurst(t, url, { clock })
  let last: LimitDecision | undefined
  for (let request = 0; request < 20; request++) {
    last = await burst.take('given-back', 2400)
    clock.advance(250)
  }
  assert.ok(last!.remaining >= 2380, `20 of 2400 requests left ${last!.remaining}`)
})

test('no key stays in Redis for longer than a window', async (t) => {
  const server = await openRedis(t)
  const burst = await openBurst(t, server.url)
  for (const perMinute of [1, 60, 3000]) await drain([burst], `leak-${perMinute}`, perMinute)
  const redis = new Redis(server.url)
  t.after(() => redis.disconnect())
  const keys = await redis.keys('*')
  assert.equal(keys.length, 3)
  for (const key of keys) {
    const ttl = await redis.pttl(key)
    assert.ok(ttl > 0 && ttl <= 60_001, `${key} lives for ${ttl} ms`)
  }
})

test('without Redis each instance goes on with its share, and shares again when it is back', async (t) => {
  const server = await openRedis(t)
  const told: boolean[] = []
  const burst = await openBurst(t, server.url, {
    clock: patientClock(),
    instances: 3,
    onDegraded: (degraded) => void told.push(degraded),
  })
  const other = await openBurst(t, server.url, { clock: patientClock(), instances: 3 })
  assert.equal((await burst.take('before', 60)).allowed, true)

  await server.kill()
  // Before and after the loss is noticed, the limits decide alike.
  assert.deepEqual(await drain([burst], 'killed', 60), [20])
  assert.deepEqual(told, [true])
  assert.ok(!(burst.take('killed', 60) instanceof Promise), 'nobody waits for what is away')
  assert.equal((await burst.take('killed', 60)).limit, 60)

  await server.start()
  await until(() => !burst.degraded && !other.degraded)
  assert.deepEqual(told, [true, false])
  const startedAt = performance.now()
  const counts = await drain([burst, other], 'back', 60)
  assert.ok(sum(counts) >= 60 && sum(counts) <= 62 + (performance.now() - startedAt) / 1000, counts.join(' + '))
})

test('a Redis that does not answer in time is as good as none', async (t) => {
  const server = await openRedis(t)
  const clock = new TestClock()
  const told: boolean[] = []
  const burst = await openBurst(t, server.url, { clock, onDegraded: (degraded) => void told.push(degraded) })
  server.pause()
  const waiting = [1, 2].map(async () => burst.take('slow', 60))
  clock.advance(49)
  assert.deepEqual(told, [])
  clock.advance(1)
  const decisions = await Promise.all(waiting)
  assert.ok(decisions.every(({ allowed }) => allowed))
  const left = decisions.map(({ remaining }) => remaining)
  assert.deepEqual(left, [29, 28])
  assert.deepEqual(told, [true])
  server.resume()
  clock.advance(500)
  await until(() => !burst.degraded)
  assert.deepEqual(told, [true, false])
})

test('a Redis that was never reachable stops no request', async (t) => {
  const told: boolean[] = []
  const burst = await openBurst(t, 'redis://127.0.0.1:1', { onDegraded: (degraded) => void told.push(degraded) })
  assert.deepEqual(told, [true])
  assert.deepEqual(await drain([burst], 'never', 60), [30])
})

// A full or read-only Redis accepts connections; only a write shows that it is unusable.
test('a Redis that refuses to write is no reason to refuse callers, nor to come back too early', async (t) => {
  const server = await openRedis(t)
  const clock = new TestClock()
  const told: boolean[] = []
  const burst = await openBurst(t, server.url, { clock, onDegraded: (degraded) => void told.push(degraded) })
  const admin = new Redis(server.url)
  t.after(() => admin.disconnect())
  await admin.config('SET', 'maxmemory', '1')
  assert.equal((await burst.take('full', 60)).allowed, true)
  assert.deepEqual(told, [true])
  const probe = async () => {
    clock.advance(500)
    for (let turn = 0; turn < 3; turn++) await admin.ping()
  }
  await probe()
  assert.deepEqual(told, [true])
  await admin.config('SET', 'maxmemory', '0')
  await until(async () => {
    await probe()
    return !burst.degraded
  })
  assert.deepEqual(told, [true, false])
})
