import { Redis } from 'ioredis'
import type { Clock, LimitDecision, RateLimiter } from '../../kernel/ports.ts'
import { ROUNDING, WINDOW, Generations, MemoryLimiter, allowed, refused } from './gcra.ts'

const LEASE_MILLISECONDS = 250
const REPLY_MILLISECONDS = 50
const PROBE_MILLISECONDS = 500

/** The server that keeps the limits of several processes. */
interface LeaseSource {
  /**
   * Returns the unused tokens of an earlier lease, then takes up to `wanted` tokens of a key; answers the number taken
   * and the microseconds until the allowance is complete.
   */
  takeLease(key: string, interval: number, wanted: number, returned: number): Promise<[number, number]>
}

/** This instance's share of a key's allowance. */
interface Allotment {
  /** Tokens taken and not used yet. After `expiresAt` they are returned at the next opportunity. */
  tokens: number
  expiresAt: number
  /** When the shared allowance would be complete if all tokens taken here were used. */
  wholeAt: number
  /** The source has no token before this time, so it is not asked. */
  emptyUntil: number
  asking: boolean
  waiting: ((decision: LimitDecision) => void)[]
}

interface LeasedOptions {
  source: LeaseSource
  clock: Clock
  /** How many instances share the limits; while the source is unavailable, each grants its share. */
  instances?: number | undefined
  /** Called when this instance starts (true) or stops (false) to decide alone. */
  onDegraded?: ((degraded: boolean) => void) | undefined
}

/**
 * One limit for all instances that share it. Each instance takes leases of a quarter of a second from the source and
 * decides locally while a lease lasts, so the total is wrong by at most one lease per instance. If the source is
 * unavailable, each instance grants its share.
 */
class LeasedLimiter implements RateLimiter {
  readonly #clock: Clock
  readonly #instances: number
  readonly #onDegraded: (degraded: boolean) => void
  readonly #source: LeaseSource
  readonly #leases = new Generations<Allotment>(WINDOW)
  readonly #share: MemoryLimiter
  #degraded = false
  #closed = false
  #cancelProbe: () => void = () => undefined

  constructor({ source, clock, instances = 2, onDegraded = () => undefined }: LeasedOptions) {
    this.#clock = clock
    this.#instances = instances
    this.#onDegraded = onDegraded
    this.#share = new MemoryLimiter(clock)
    this.#source = source
  }

  /** Whether this instance currently decides alone. */
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
  }

  /** Asks until no request waits. Each answer admits or refuses all requests that waited when it was asked. */
  async #ask(key: string, lease: Allotment, perMinute: number): Promise<void> {
    lease.asking = true
    const interval = WINDOW / perMinute
    const size = Math.max(1, Math.floor(LEASE_MILLISECONDS / interval))
    try {
      while (lease.waiting.length > 0) {
        const wanted = Math.max(size, lease.waiting.length)
        const unused = lease.tokens
        lease.tokens = 0
        const [granted, microseconds] = await this.#inTime(this.#source.takeLease(key, interval, wanted, unused))
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
      this.degrade()
      for (const serve of lease.waiting.splice(0)) serve(this.#takeShare(key, perMinute))
    } finally {
      lease.asking = false
    }
  }

  /** The reported limit is the shared one; the reported remaining number is that of this instance's share. */
  #takeShare(key: string, perMinute: number): LimitDecision {
    const decision = this.#share.take(key, Math.max(1, Math.floor(perMinute / this.#instances)))
    decision.limit = perMinute
    return decision
  }

  /** Decides alone until the source answers again. */
  degrade(): void {
    if (this.#degraded || this.#closed) return
    this.#degraded = true
    this.#probeLater()
    this.#onDegraded(true)
  }

  /** Tests with a real request, because a source that is unusable may still answer a ping. */
  #probeLater(): void {
    this.#cancelProbe = this.#clock.after(PROBE_MILLISECONDS, () => {
      this.#inTime(this.#source.takeLease('probe', 1, 1, 0)).then(
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
      // If this process was paused, the reply may have arrived unread; one turn of the event loop reads it.
      const cancel = this.#clock.after(REPLY_MILLISECONDS, () => setImmediate(() => reject(new Error('Too late.'))))
      reply.then(resolve, reject).finally(cancel)
    })
  }
}

function use(lease: Allotment, perMinute: number, now: number): LimitDecision {
  lease.tokens--
  return allowed(perMinute, spentOf(lease, perMinute, now))
}

/** The time that was really used, without the tokens that are left. */
function spentOf({ wholeAt, tokens }: Allotment, perMinute: number, now: number): number {
  return Math.min(Math.max(wholeAt - now - (tokens * WINDOW) / perMinute, 0), WINDOW)
}

/** The next token is at most one interval away. If it seems later, the clock was set back. */
function isEmpty({ emptyUntil }: Allotment, perMinute: number, now: number): boolean {
  return now < emptyUntil && emptyUntil - now <= WINDOW / perMinute
}

const DISCONNECT_MILLISECONDS = 50
const RECONNECT_MILLISECONDS_MAX = 1_000
/** A connection that is silent for so long is replaced: a host that lost its power cannot close it. */
const SILENCE_MILLISECONDS_MAX = 2_000
const FIRST_CONNECTION_MILLISECONDS_MAX = 1_000
const PREFIX = 'nano-gateway:burst:'

/**
 * Returns the unused tokens of an earlier lease, then takes up to `wanted` tokens of a key; answers the number taken
 * and the microseconds until the allowance is complete. Redis's own time is used, so different clocks of instances do
 * not change a limit. The key expires when its allowance is complete.
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

export interface RedisBurstOptions {
  url: string
  clock: Clock
  /** How many instances share the limits; while Redis is unavailable, each grants its share. */
  instances?: number
  /** Called when this instance starts (true) or stops (false) to decide alone. */
  onDegraded?(degraded: boolean): void
  onError(error: unknown): void
}

/** One limit for all instances, kept by Redis. */
export class RedisLimiter extends LeasedLimiter {
  readonly #redis: AllotmentRedis

  private constructor({ url, onError, ...options }: RedisBurstOptions) {
    const redis = connect(url)
    const takeLease: AllotmentRedis['takeLease'] = (key, ...rest) => redis.takeLease(PREFIX + key, ...rest)
    super({ ...options, source: { takeLease } })
    this.#redis = redis
    // Every failure also shows as a lost connection or a missing answer, which are handled where they matter.
    redis.on('error', onError)
    redis.on('close', () => this.degrade())
  }

  /** Connects; if that fails, continues without Redis. */
  static async open(options: RedisBurstOptions): Promise<RedisLimiter> {
    const burst = new RedisLimiter(options)
    await new Promise<void>((resolve) => {
      const cancel = options.clock.after(FIRST_CONNECTION_MILLISECONDS_MAX, () => {
        burst.degrade()
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

  override close(): void {
    super.close()
    this.#redis.disconnect()
  }
}

/** The client defines a method for each script at run time, which its types cannot express. */
function connect(url: string): AllotmentRedis {
  return new Redis(url, {
    lazyConnect: false,
    connectTimeout: SILENCE_MILLISECONDS_MAX,
    socketTimeout: SILENCE_MILLISECONDS_MAX,
    disconnectTimeout: DISCONNECT_MILLISECONDS,
    // A request that cannot be sent now is useless later.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), RECONNECT_MILLISECONDS_MAX),
    // After a failover the old address may be a replica; a new connection finds the new primary.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    scripts: { takeLease: { lua: TAKE_LEASE, numberOfKeys: 1 } },
  }) as AllotmentRedis
}
