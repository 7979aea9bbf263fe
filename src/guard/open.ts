import type { Config } from '../config/config.ts'
import type { RateLimiter } from '../kernel/ports.ts'
import { type Gateway } from './passing.ts'
import { toPlans, toTariffs } from './charge.ts'
import { RememberedAnswers } from './remembered.ts'
import { createThrottle } from './throttle.ts'

/**
 * Finished answers get the larger share of the memory, because they are larger than the node's answers that they are
 * made from.
 */
const FINISHED_SHARE = 5 / 8

interface GatewayParts extends Omit<Gateway, 'countMax' | 'remembered' | 'tariffs' | 'throttle'> {
  /** Counts requests, in this process alone or for all processes. */
  burst: RateLimiter
}

export function openGateway(config: Config, { burst, ...parts }: GatewayParts): Gateway {
  return {
    ...parts,
    countMax: config.countMax,
    remembered: new RememberedAnswers(parts.names, config.cacheBytesMax * FINISHED_SHARE),
    tariffs: toTariffs(config),
    throttle: createThrottle({ burst, plans: toPlans(config) }),
  }
}
