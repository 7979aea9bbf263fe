import { Redis } from 'ioredis'
import type { Clock } from '../../kernel/ports.ts'
import { ROUNDING, WINDOW } from './gcra.ts'
import { LeasedLimiter } from './leased-limiter.ts'

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
