import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { repeat } from '../../../test/support/random.ts'
import { MemoryLimiter } from './gcra.ts'

function openBurst(keysMax?: number) {
  const clock = new TestClock()
  return { clock, burst: new MemoryLimiter(clock, keysMax) }
}

/** How many requests are admitted before one is refused. */
function drain(burst: MemoryLimiter, key: string, perMinute: number): number {
  let passed = 0
  while (burst.take(key, perMinute).allowed) passed++
  return passed
}

test('the whole allowance passes at once, then one request for each interval', () => {
  for (const perMinute of [1, 7, 60, 600, 3000, 3001]) {
    const { clock, burst } = openBurst()
    const interval = 60_000 / perMinute
    assert.equal(drain(burst, 'a', perMinute), perMinute)
    for (let earned = 1; earned <= 5; earned++) {
      clock.advance(interval * 0.99)
      assert.equal(burst.take('a', perMinute).allowed, false)
      clock.advance(interval * 0.01 + 1e-6)
      assert.equal(drain(burst, 'a', perMinute), 1)
    }
    clock.advance(60_000)
    assert.equal(drain(burst, 'a', perMinute), perMinute)
  }
})

// A caller who keeps sending while refused must not prolong the refusal.
test('a refused request consumes nothing, and callers do not share an allowance', () => {
  const { clock, burst } = openBurst()
  drain(burst, 'a', 60)
  for (let refused = 0; refused < 10_000; refused++) assert.equal(burst.take('a', 60).allowed, false)
  clock.advance(1000)
  assert.equal(drain(burst, 'a', 60), 1)
  assert.equal(drain(burst, 'b', 60), 60)
})

test('the numbers say what is left, when the limit has fully recovered, and when to retry', () => {
  const { clock, burst } = openBurst()
  const decide = () => burst.take('a', 60)
  const passed = { allowed: true, limit: 60, retryAfterSeconds: 0 }
  assert.deepEqual(decide(), { ...passed, remaining: 59, resetSeconds: 1 })
  assert.deepEqual(decide(), { ...passed, remaining: 58, resetSeconds: 2 })
  clock.advance(500)
  // Half of a request is earned, but only whole ones count.
  assert.deepEqual(decide(), { ...passed, remaining: 57, resetSeconds: 3 })
  drain(burst, 'a', 60)
  const refused = { allowed: false, limit: 60, remaining: 0 }
  assert.deepEqual(decide(), { ...refused, resetSeconds: 60, retryAfterSeconds: 1 })

  const slow = openBurst()
  assert.deepEqual(slow.burst.take('a', 2), { ...passed, limit: 2, remaining: 1, resetSeconds: 30 })
  assert.deepEqual(slow.burst.take('a', 2), { ...passed, limit: 2, remaining: 0, resetSeconds: 60 })
  slow.clock.advance(4_500)
  assert.deepEqual(slow.burst.take('a', 2), { ...refused, limit: 2, resetSeconds: 56, retryAfterSeconds: 26 })
})

test('a retry after Retry-After passes, and the reported remaining requests are available', async () => {
  await repeat(200, (random) => {
    const { clock, burst } = openBurst()
    const perMinute = 1 + random.below(200)
    for (let step = 0; step < 50; step++) {
      clock.advance(random.below(3_000))
      const { allowed, remaining, retryAfterSeconds } = burst.take('a', perMinute)
      if (!allowed) {
        clock.advance(retryAfterSeconds * 1000)
        assert.equal(burst.take('a', perMinute).allowed, true)
      } else if (random.below(4) === 0) assert.equal(drain(burst, 'a', perMinute), remaining)
    }
  })
})

test('what was used under the old plan counts under the new one', () => {
  const { burst } = openBurst()
  assert.equal(drain(burst, 'a', 60), 60)
  assert.equal(burst.take('a', 600).allowed, false)
  const half = openBurst().burst
  for (let request = 0; request < 30; request++) half.take('a', 60)
  assert.equal(drain(half, 'a', 600), 300)
})

test('after a clock is set back no caller waits longer than a window', () => {
  const { clock, burst } = openBurst()
  drain(burst, 'a', 60)
  clock.advance(-3_600_000)
  const refused = { allowed: false, limit: 60, remaining: 0 }
  assert.deepEqual(burst.take('a', 60), { ...refused, resetSeconds: 60, retryAfterSeconds: 1 })
  clock.advance(1_000)
  assert.equal(drain(burst, 'a', 60), 1)
})

test('memory is bounded, however many callers there are', () => {
  const { clock, burst } = openBurst(1000)
  for (let caller = 0; caller < 50_000; caller++) {
    burst.take(`caller-${caller}`, 60)
    assert.ok(burst.size <= 1000)
  }
  // A flood from other callers does not remove an active one.
  drain(burst, 'active', 60)
  for (let caller = 0; caller < 400; caller++) burst.take(`stranger-${caller}`, 60)
  assert.equal(burst.take('active', 60).allowed, false)
  clock.advance(120_000)
  burst.take('a', 60)
  assert.equal(burst.size, 1)
})

test('nothing is forgotten while it counts', () => {
  const { clock, burst } = openBurst()
  for (let minute = 0; minute < 5; minute++) {
    clock.advance(59_000)
    drain(burst, 'a', 60)
    clock.advance(1_000)
    for (let caller = 0; caller < 100; caller++) burst.take(`${minute}-${caller}`, 60)
    assert.equal(drain(burst, 'a', 60), 1)
  }
})
