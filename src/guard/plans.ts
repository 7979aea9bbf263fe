import type { Config } from '../config/config.ts'
import type { Tariffs } from './charge.ts'
import type { Plans } from './throttle.ts'

const MINUTE = 60_000
const MONTH = 30 * 24 * 60 * MINUTE

/** The limits of each kind of caller. */
export function toPlans(config: Config): Plans {
  return {
    anonymous: { perMinute: config.limitAnonymousPerMinute, concurrencyMax: config.limitAnonymousConcurrency },
    publicKey: { perMinute: config.limitPublicKeyPerMinute, concurrencyMax: config.limitPublicKeyConcurrency },
    free: { perMinute: config.limitFreePerMinute, concurrencyMax: config.limitFreeConcurrency },
    prepaid: { perMinute: config.limitPrepaidPerMinute, concurrencyMax: config.limitPrepaidConcurrency },
  }
}

const BATCH_WIDTH_MAX = 10

/** How many requests of a batch run at once: half of what its caller may, so that a batch neither refuses itself nor shuts out the rest. */
export function toBatchWidth(config: Config): number {
  const limits = Object.values(toPlans(config)).flatMap(({ concurrencyMax }) => concurrencyMax || [])
  return Math.max(1, Math.min(BATCH_WIDTH_MAX, ...limits.map((limit) => Math.floor(limit / 2))))
}

/** What metered things cost, and how much of them is free. */
export function toTariffs(config: Config): Tariffs {
  const allowance = (max: number, windowMilliseconds: number) => (max === 0 ? undefined : { max, windowMilliseconds })
  return {
    work: {
      credits: 1,
      free: {
        anonymous: allowance(config.freeWorkAnonymousPerHour, 60 * MINUTE),
        account: allowance(config.freeWorkPerHalfHour, 30 * MINUTE),
      },
      freeFirst: false,
    },
    wallet_send: {
      credits: 1,
      free: { anonymous: undefined, account: allowance(config.freeSendsPerMonth, MONTH) },
      freeFirst: true,
    },
  }
}
