import { OPERATOR } from '../kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../kernel/ctx.ts'
import type { LimitDecision, RateLimiter } from '../kernel/ports.ts'
import { type Entry, type Plans, TooManyRequests, createThrottle } from './throttle.ts'

const ANONYMOUS: Caller = { kind: 'anonymous' }
const accountOf = (accountId: string): Caller => ({
  kind: 'account',
  accountId,
  role: 'user',
  prepaid: false,
  access: 'secret-key',
  actor: OPERATOR,
  rights: undefined,
})
const PLANS: Plans = {
  anonymous: { perMinute: 3, concurrencyMax: 2 },
  publicKey: { perMinute: 2, concurrencyMax: 1 },
  free: { perMinute: 10, concurrencyMax: 4 },
  prepaid: { perMinute: 0, concurrencyMax: 0 },
}

/** A limiter that counts down and never recovers. */
class Countdown implements RateLimiter {
  readonly taken = new Map<string, number>()

  take(key: string, perMinute: number): LimitDecision {
    const used = this.taken.get(key) ?? 0
    const allowed = used < perMinute
    if (allowed) this.taken.set(key, used + 1)
    const remaining = allowed ? perMinute - used - 1 : 0
    return { allowed, limit: perMinute, remaining, resetSeconds: 60, retryAfterSeconds: allowed ? 0 : 7 }
  }
}

function openThrottle(plans: Partial<Plans> = {}) {
  const burst = new Countdown()
  const throttle = createThrottle({ burst, plans: { ...PLANS, ...plans } })
  const enter = (caller: Caller = ANONYMOUS, ip = '192.0.2.1', prepaid = false): Entry => {
    const entry = throttle.enter(caller, ip, prepaid)
    assert.ok(!(entry instanceof Promise), 'a limiter that answers at once is not waited for')
    return entry
  }
  return { burst, enter, throttle }
}

const refusal = (retryAfterSeconds: number, remaining: number) => (error: unknown) => {
  assert.ok(error instanceof TooManyRequests)
  const { status, code, message, decision } = error
  assert.deepEqual([status, code, message], [429, 'too_many_requests', 'Too many requests.'])
  assert.deepEqual([error.retryAfterSeconds, decision?.remaining], [retryAfterSeconds, remaining])
  return true
}

test('an account has the limits that its operator gave it, in place of those of its plan', () => {
  const { enter } = openThrottle()
  const plain = accountOf('acc_1')
  const favoured: Caller = { ...plain, accountId: 'acc_2', plan: { perMinute: 2, concurrencyMax: 0 } } as Caller
  for (let running = 0; running < 4; running++) enter(plain)
  assert.throws(() => enter(plain), /Too many/)
  const entries = [enter(favoured), enter(favoured)]
  assert.equal(entries[1]!.decision?.limit, 2)
  assert.throws(() => enter(favoured), refusal(7, 0))
})

test('429 when the minute is used up, with the numbers and the time to come back', () => {
  const { enter } = openThrottle()
  for (const remaining of [2, 1, 0]) {
    const { decision, leave } = enter()
    assert.deepEqual([decision?.limit, decision?.remaining], [3, remaining])
    leave()
  }
  assert.throws(() => enter(), refusal(7, 0))
})

test('429 with one second to wait when too many run at once, and nothing is counted', () => {
  const { burst, enter } = openThrottle()
  const first = enter()
  enter()
  assert.throws(() => enter(), refusal(1, 1))
  assert.equal(burst.taken.get('ip:192.0.2.1'), 2, 'a refused request consumes nothing')
  first.leave()
  enter()
})

// A request refused by the limit per minute must not take a concurrent place either.
test('a request refused by the minute leaves its place', () => {
  const { burst, enter } = openThrottle()
  for (let request = 0; request < 3; request++) enter().leave()
  for (let request = 0; request < 5; request++) assert.throws(() => enter(), refusal(7, 0))
  burst.taken.clear()
  enter()
  enter()
  assert.throws(() => enter(), refusal(1, 1))
})

test('leaving twice gives one place back', () => {
  const { burst, enter } = openThrottle()
  const first = enter()
  enter()
  first.leave()
  first.leave()
  burst.taken.clear()
  enter()
  assert.throws(() => enter(), refusal(1, 2))
})

test('anonymous callers are counted by network, customers by account wherever they are', () => {
  const { burst, enter } = openThrottle()
  enter(ANONYMOUS, '192.0.2.1')
  enter(ANONYMOUS, '2001:db8:0:0::/64')
  enter(accountOf('a'), '192.0.2.1')
  enter(accountOf('a'), '192.0.2.2')
  enter(accountOf('b'), '192.0.2.1')
  assert.deepEqual(
    [...burst.taken],
    [
      ['ip:192.0.2.1', 1],
      ['ip:2001:db8:0:0::/64', 1],
      ['acc:a', 2],
      ['acc:b', 1],
    ],
  )
})

test('the plan follows the caller', () => {
  const { enter } = openThrottle({ prepaid: { perMinute: 100, concurrencyMax: 5 } })
  assert.equal(enter(ANONYMOUS, '192.0.2.1', true).decision?.limit, 3, 'only an account can be prepaid')
  assert.equal(enter(accountOf('a')).decision?.limit, 10)
  assert.equal(enter(accountOf('a'), '192.0.2.1', true).decision?.limit, 100)
})

test('zero means no limit, and then there are no numbers', () => {
  const { burst, enter } = openThrottle()
  for (let request = 0; request < 1000; request++) {
    assert.equal(enter(accountOf('a'), '192.0.2.1', true).decision, undefined)
  }
  assert.equal(burst.taken.size, 0)
})

test('a caller that waits for the limiter holds a slot until the answer', async () => {
  const answers: ((decision: LimitDecision) => void)[] = []
  const burst: RateLimiter = { take: () => new Promise((resolve) => answers.push(resolve)) }
  const throttle = createThrottle({ burst, plans: PLANS })
  const enter = async () => throttle.enter(ANONYMOUS, '192.0.2.1', false)
  const decision: LimitDecision = { allowed: true, limit: 3, remaining: 2, resetSeconds: 1, retryAfterSeconds: 0 }
  const waiting = [enter(), enter()]
  await assert.rejects(enter(), TooManyRequests)
  answers[0]!(decision)
  answers[1]!({ ...decision, allowed: false, remaining: 0, retryAfterSeconds: 7 })
  const first = await waiting[0]!
  assert.equal(first.decision, decision)
  await assert.rejects(waiting[1]!, refusal(7, 0))
  const third = enter()
  await assert.rejects(enter(), refusal(1, 0))
  answers[2]!(decision)
  await third
})

test('a limiter that fails leaves no place behind', async () => {
  const burst: RateLimiter = { take: () => Promise.reject(new Error('broken')) }
  const throttle = createThrottle({ burst, plans: PLANS })
  for (let request = 0; request < 5; request++) {
    await assert.rejects(async () => throttle.enter(ANONYMOUS, '192.0.2.1', false), /broken/)
  }
})
