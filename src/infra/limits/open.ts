import type { Config } from '../../config/config.ts'
import type { Failures } from '../../kernel/failures.ts'
import type { Clock } from '../../kernel/ports.ts'
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
