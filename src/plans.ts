import { RedisBurst } from './infra/limits/leases.ts'
import type { Failures } from './kernel/failures.ts'
import type { FaucetRules } from './kernel/faucet-rules.ts'
import type { Clock } from './kernel/ports.ts'
import type { Config } from './config.ts'
import type { Tariffs } from './guard/charge.ts'
import type { Plans } from './guard/throttle.ts'

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

/** What the faucet gives, and to how many. */
export function toFaucetRules(config: Config): FaucetRules {
  return {
    amount: config.faucetAmount,
    dailyBudget: config.faucetDailyBudget,
    perNetworkMax: config.faucetPerNetworkMax,
  }
}

/** Limits that several gateways share; undefined when each counts for itself. */
export async function openSharedLimits(
  config: Config,
  { clock, failures }: { clock: Clock; failures: Failures },
  onDegraded: (degraded: boolean) => void,
) {
  if (config.redisUrl === '') return undefined
  const onError = failures.lost('limits.connection')
  return RedisBurst.open({ url: config.redisUrl, clock, instances: config.instances, onDegraded, onError })
}
