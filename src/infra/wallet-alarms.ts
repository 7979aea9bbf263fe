import type { BlockRefusal, ReportAlarm, WalletAlarm } from '../kernel/wallet-alarm.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

const ALARMS = ['frozen', 'key', 'refused', 'master_key', 'void'] as const satisfies WalletAlarm[]

/** Reports in the log and in metrics what the operator must look into at once. */
export function reportAlarm({ log, metrics }: { log: Log; metrics: Metrics }): ReportAlarm {
  // Every series starts with 0. Rates are differences, so a series that started with its first alarm would hide it.
  for (const kind of ALARMS) metrics.walletAlarms.inc({ kind }, 0)
  return (kind, { walletId, reason }) => {
    metrics.walletAlarms.inc({ kind })
    log.error({ event: 'wallet_alarm', kind, walletId, reason })
  }
}

const REFUSAL_KINDS: readonly [RegExp, string][] = [
  [/\bwork\b/i, 'work'],
  [/^Fork$/, 'fork'],
  [/^Gap /, 'gap'],
  [/signature/i, 'signature'],
  [/balance|unreceivable|spend/i, 'balance'],
]

/** Reports that a node has refused one of our blocks: its message in the log, the kind of refusal in metrics. */
export function reportRefusal({ log, metrics }: { log: Log; metrics: Metrics }) {
  return ({ walletId, hash, words, lasting }: BlockRefusal): void => {
    const kind = REFUSAL_KINDS.find(([pattern]) => pattern.test(words))?.[1] ?? 'other'
    metrics.ownBlockRefusals.inc({ kind })
    log.warn({ event: 'block_refused', kind, walletId, hash, words, lasting })
  }
}
