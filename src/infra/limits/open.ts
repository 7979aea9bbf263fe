import type { Config } from '../../config/config.ts'
import type { Failures } from '../../kernel/failures.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { RedisLimiter } from './redis-limiter.ts'

/** Limits that several gateways share; undefined when each counts for itself. */
export async function openSharedLimits(
  config: Config,
  { clock, failures }: { clock: Clock; failures: Failures },
  onDegraded: (degraded: boolean) => void,
) {
  if (config.redisUrl === '') return undefined
  const onError = failures.lost('limits.connection')
  return RedisLimiter.open({ url: config.redisUrl, clock, instances: config.instances, onDegraded, onError })
}

/** Reports by log and gauge when limits are no longer shared, and when they are again. */
export function reportDegraded({ log, metrics }: { log: Log; metrics: Metrics }): (degraded: boolean) => void {
  let isDegraded = false
  metrics.gauge(
    'gateway_limits_degraded',
    'Whether Redis is unavailable and each instance grants its share of the limits.',
    [],
    () => [{ value: isDegraded ? 1 : 0 }],
  )
  return (degraded) => {
    isDegraded = degraded
    log.warn({ event: 'limits_degraded', degraded })
  }
}
