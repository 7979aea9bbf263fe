import { createThrottle } from '../../src/guard/throttle.ts'
import { createClientIp, toTrustedProxies } from '../../src/http/client-ip.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { MemoryBurst } from '../../src/infra/limits/gcra.ts'
import { RedisBurst } from '../../src/infra/limits/leases.ts'
import type { Caller } from '../../src/kernel/ctx.ts'
import { sharedRedis } from '../support/redis.ts'

/* What a decision costs: `node --import tsx test/limits/bench.ts`. It measures and judges nothing. */

const ROUNDS = 1_000_000
const KEYS = Array.from({ length: 10_000 }, (_, at) => `acc:${at}`)
const ANONYMOUS: Caller = { kind: 'anonymous' }

async function measure(name: string, run: (at: number) => unknown): Promise<void> {
  for (const rounds of [ROUNDS / 10, ROUNDS]) {
    let waits = 0
    const startedAt = performance.now()
    for (let at = 0; at < rounds; at++) {
      const result = run(at)
      if (result instanceof Promise) {
        waits++
        await result
      }
    }
    const microseconds = ((performance.now() - startedAt) * 1000) / rounds
    if (rounds === ROUNDS) process.stdout.write(`${name.padEnd(44)} ${microseconds.toFixed(3)} µs, ${waits} waits\n`)
  }
}

const burst = new MemoryBurst(systemClock)
await measure('memory, one key, mostly refused', () => burst.take('acc:one', 3000))
await measure('memory, 10 000 keys, allowed', (at) => burst.take(KEYS[at % KEYS.length]!, 60_000_000))
await measure('memory, a new key each time', (at) => burst.take(`acc:new-${at}`, 3000))

const free = { perMinute: 60_000_000, concurrencyMax: 10 }
const throttle = createThrottle({ burst, plans: { anonymous: free, free, prepaid: free } })
await measure('throttle, enter and leave', () => {
  const entry = throttle.enter(ANONYMOUS, '192.0.2.1', false)
  if (!(entry instanceof Promise)) entry.leave()
})
const strict = { perMinute: 1, concurrencyMax: 10 }
const narrow = createThrottle({ burst, plans: { anonymous: strict, free: strict, prepaid: strict } })
await measure('throttle, refused', () => {
  try {
    void narrow.enter(ANONYMOUS, '192.0.2.2', false)
  } catch {
    // Refusals are what is measured.
  }
})

const direct = createClientIp(toTrustedProxies([]))
const behind = createClientIp(toTrustedProxies(['loopback', '10.0.0.0/8']))
await measure('address, direct, version 4', () => direct('192.0.2.1', undefined))
await measure('address, direct, version 4 in 6', () => direct('::ffff:192.0.2.1', undefined))
await measure('address, direct, version 6', () => direct('2001:db8:1:2::5', undefined))
await measure('address, behind one proxy', () => behind('127.0.0.1', '198.51.100.7'))

const { url } = await sharedRedis()
const leases = await RedisBurst.open({ url, clock: systemClock })
await measure('leases, 3000/min, mostly refused', () => leases.take('acc:one', 3000))
await measure('leases of 50 tokens', () => leases.take('acc:fifty', 12_000))
await measure('leases of 250 000 tokens', () => leases.take('acc:many', 60_000_000))
leases.close()
