import type { Config } from '../config/config.ts'
import type { RateLimiter } from '../kernel/ports.ts'
import type { Gateway } from './dispatch.ts'
import { toPlans, toTariffs } from './charge.ts'
import { RememberedAnswers } from './remembered.ts'
import { createThrottle } from './throttle.ts'

/** Of the memory for answers: what is made of a node's answer is larger than the answer. */
const FINISHED_SHARE = 5 / 8

interface GatewayParts extends Omit<Gateway, 'countMax' | 'remembered' | 'tariffs' | 'throttle'> {
  /** Counts requests, for this process alone or for all. */
  burst: RateLimiter
}

/** What every request passes, in a process that has these parts. */
export function openGateway(config: Config, { burst, ...parts }: GatewayParts): Gateway {
  return {
    ...parts,
    countMax: config.countMax,
    remembered: new RememberedAnswers(parts.names, config.cacheBytesMax * FINISHED_SHARE),
    tariffs: toTariffs(config),
    throttle: createThrottle({ burst, plans: toPlans(config) }),
  }
}
