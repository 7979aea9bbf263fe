import type { Config } from '../../config/config.ts'
import type { Failures } from '../../kernel/failures.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { RedisLimiter } from './redis-limiter.ts'

/** Limits that several gateways share; undefined if each gateway counts alone. */
export async function openSharedLimits(
  config: Config,
  { clock, failures }: { clock: Clock; failures: Failures },
  onDegraded: (degraded: boolean) => void,
) {
  if (config.redisUrl === '') return undefined
  const onError = failures.lost('limits.connection')
  return RedisLimiter.open({ url: config.redisUrl, clock, instances: config.instances, onDegraded, onError })
}

/** Reports in the log and in a gauge whether limits are shared. */
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
