import { Redis } from 'ioredis'
import type { LimitDecision, RateLimiter, Clock } from '../../kernel/ports.ts'
import { MemoryLimiter, ROUNDING, WINDOW, allowed, refused } from './gcra.ts'
import { Generations } from './generations.ts'

const LEASE_MILLISECONDS = 250
const REPLY_MILLISECONDS = 50
const PROBE_MILLISECONDS = 500
const RECONNECT_MILLISECONDS_MAX = 1_000
/** A connection that says nothing for so long is replaced; a host that lost its power never says goodbye. */
const SILENCE_MILLISECONDS_MAX = 2_000
const FIRST_CONNECTION_MILLISECONDS_MAX = 1_000
const PREFIX = 'nano-gateway:burst:'

/**
 * Takes up to `wanted` tokens of one key, after giving back those of an earlier lease that nobody used; answers with
 * the tokens and with the microseconds until the allowance is whole. It goes by the server's time, so that clocks of
 * instances that differ neither add to a limit nor take from it. The key lives exactly as long as it says anything.
 */
const TAKE_LEASE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local window, interval = ${WINDOW}, tonumber(ARGV[1])
local wanted, returned = tonumber(ARGV[2]), tonumber(ARGV[3])
local whole_at = tonumber(redis.call('GET', KEYS[1]) or 0) - returned * interval
whole_at = math.min(math.max(whole_at, now), now + window)
local granted = math.min(wanted, math.floor((now + window - whole_at + ${ROUNDING}) / interval))
whole_at = whole_at + granted * interval
if whole_at > now then
  redis.call('SET', KEYS[1], string.format('%.4f', whole_at), 'PX', math.ceil(whole_at - now))
end
return { granted, math.ceil((whole_at - now) * 1000) }
`

interface AllotmentRedis extends Redis {
  takeLease(key: string, interval: number, wanted: number, returned: number): Promise<[number, number]>
}

/** What this instance holds of one key's allowance. */
interface Allotment {
  /** Taken and not yet used. After `expiresAt` they are given back at the next opportunity instead of used. */
  tokens: number
  expiresAt: number
  /** When the shared allowance would be whole, the tokens in hand counted as used. */
  wholeAt: number
  /** Nobody has a token before this moment, so nobody needs to ask. */
  emptyUntil: number
  asking: boolean
  waiting: ((decision: LimitDecision) => void)[]
}

export interface RedisBurstOptions {
  url: string
  clock: Clock
  /** How many instances share the limits; each gets its part while Redis is away. */
  instances?: number
  /** Told when this instance begins (true) or ends (false) to decide on its own. */
  onDegraded?(degraded: boolean): void
  onError(error: unknown): void
}

/**
 * One limit for all instances. Each takes leases of a quarter of a second from Redis and decides by itself while one
 * lasts, so the sum is wrong by one lease for each instance at most. Without Redis every instance grants its share.
 */
export class RedisLimiter implements RateLimiter {
  readonly #clock: Clock
  readonly #instances: number
  readonly #onDegraded: (degraded: boolean) => void
  readonly #redis: AllotmentRedis
  readonly #leases = new Generations<Allotment>(WINDOW)
  readonly #share: MemoryLimiter
  #degraded = false
  #closed = false
  #cancelProbe: () => void = () => undefined

  private constructor({ url, clock, instances = 2, onDegraded = () => undefined, onError }: RedisBurstOptions) {
    this.#clock = clock
    this.#instances = instances
    this.#onDegraded = onDegraded
    this.#share = new MemoryLimiter(clock)
    this.#redis = connect(url)
    // Every failure shows as a lost connection or an answer that did not come; both are dealt with where they matter.
    this.#redis.on('error', onError)
    this.#redis.on('close', () => this.#degrade())
  }

  /** Connects, and goes on without Redis when that does not work at once. */
  static async open(options: RedisBurstOptions): Promise<RedisLimiter> {
    const burst = new RedisLimiter(options)
    await new Promise<void>((resolve) => {
      const cancel = options.clock.after(FIRST_CONNECTION_MILLISECONDS_MAX, () => {
        burst.#degrade()
        resolve()
      })
      for (const event of ['ready', 'close']) {
        burst.#redis.once(event, () => {
          cancel()
          resolve()
        })
      }
    })
    return burst
  }

  /** Whether this instance decides on its own at the moment. */
  get degraded(): boolean {
    return this.#degraded
  }

  take(key: string, perMinute: number): LimitDecision | Promise<LimitDecision> {
    const now = this.#clock.now()
    const held = this.#leases.get(key)
    if (held && held.tokens > 0 && now < held.expiresAt) return use(held, perMinute, now)
    if (this.#degraded) return this.#takeShare(key, perMinute)
    if (held && isEmpty(held, perMinute, now)) return refused(perMinute, spentOf(held, perMinute, now))
    const lease = held ?? { tokens: 0, expiresAt: 0, wholeAt: 0, emptyUntil: 0, asking: false, waiting: [] }
    this.#leases.set(key, lease, now)
    return new Promise((resolve) => {
      lease.waiting.push(resolve)
      if (!lease.asking) void this.#ask(key, lease, perMinute)
    })
  }

  close(): void {
    this.#closed = true
    this.#cancelProbe()
    this.#redis.disconnect()
  }

  /** Asks until nobody waits: each answer serves or refuses everybody who waited when its question left. */
  async #ask(key: string, lease: Allotment, perMinute: number): Promise<void> {
    lease.asking = true
    const interval = WINDOW / perMinute
    const size = Math.max(1, Math.floor(LEASE_MILLISECONDS / interval))
    try {
      while (lease.waiting.length > 0) {
        const wanted = Math.max(size, lease.waiting.length)
        const unused = lease.tokens
        lease.tokens = 0
        const [granted, microseconds] = await this.#inTime(
          this.#redis.takeLease(PREFIX + key, interval, wanted, unused),
        )
        const now = this.#clock.now()
        lease.tokens = granted
        lease.expiresAt = now + LEASE_MILLISECONDS
        lease.wholeAt = now + microseconds / 1000
        for (const serve of lease.waiting.splice(0, granted)) serve(use(lease, perMinute, now))
        if (granted === wanted) continue
        lease.emptyUntil = lease.wholeAt + interval - WINDOW
        const refusal = refused(perMinute, spentOf(lease, perMinute, now))
        for (const refuse of lease.waiting.splice(0)) refuse(refusal)
      }
    } catch {
      this.#degrade()
      for (const serve of lease.waiting.splice(0)) serve(this.#takeShare(key, perMinute))
    } finally {
      lease.asking = false
    }
  }

  /** The promised limit stays the one that is shown; what remains is counted from this instance's share. */
  #takeShare(key: string, perMinute: number): LimitDecision {
    const decision = this.#share.take(key, Math.max(1, Math.floor(perMinute / this.#instances)))
    decision.limit = perMinute
    return decision
  }

  #degrade(): void {
    if (this.#degraded || this.#closed) return
    this.#degraded = true
    this.#probeLater()
    this.#onDegraded(true)
  }

  /** Tries the real question, because a Redis that is full or read-only still answers to a greeting. */
  #probeLater(): void {
    this.#cancelProbe = this.#clock.after(PROBE_MILLISECONDS, () => {
      this.#inTime(this.#redis.takeLease(`${PREFIX}probe`, 1, 1, 0)).then(
        () => {
          if (this.#closed) return
          this.#degraded = false
          this.#onDegraded(false)
        },
        () => {
          if (!this.#closed) this.#probeLater()
        },
      )
    })
  }

  #inTime<T>(reply: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // After a pause of our own the reply may be here already, unread; one turn lets it be read first.
      const cancel = this.#clock.after(REPLY_MILLISECONDS, () => setImmediate(() => reject(new Error('Too late.'))))
      reply.then(resolve, reject).finally(cancel)
    })
  }
}

function use(lease: Allotment, perMinute: number, now: number): LimitDecision {
  lease.tokens--
  return allowed(perMinute, spentOf(lease, perMinute, now))
}

/** What the caller really spent: tokens in hand are still theirs. */
function spentOf({ wholeAt, tokens }: Allotment, perMinute: number, now: number): number {
  return Math.min(Math.max(wholeAt - now - (tokens * WINDOW) / perMinute, 0), WINDOW)
}

/** The next token is one interval away at most; anything later is a clock that was set back. */
function isEmpty({ emptyUntil }: Allotment, perMinute: number, now: number): boolean {
  return now < emptyUntil && emptyUntil - now <= WINDOW / perMinute
}

/** The client defines the command of each script itself, which its type cannot say. */
function connect(url: string): AllotmentRedis {
  return new Redis(url, {
    lazyConnect: false,
    connectTimeout: SILENCE_MILLISECONDS_MAX,
    socketTimeout: SILENCE_MILLISECONDS_MAX,
    disconnectTimeout: REPLY_MILLISECONDS,
    // A question that cannot be asked now is not worth asking later.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), RECONNECT_MILLISECONDS_MAX),
    // After a failover the old address may be a replica; a new connection finds the new master.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    scripts: { takeLease: { lua: TAKE_LEASE, numberOfKeys: 1 } },
  }) as AllotmentRedis
}
