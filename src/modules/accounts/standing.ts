import type { AccountPlan } from '../../kernel/key-rights.ts'
import type { AccountsTable } from './tables.ts'

/** The notice that an account may do more or less than before. */
export const STANDING_NOTICE = 'account'

/** What the operator can switch on or off for one account, whatever the settings say for all. */
export const FEATURES = {
  generated_wallets: 'Checkouts with a wallet of their own',
  wallet_sends: 'Sends from cloud wallets',
} as const

export type Feature = keyof typeof FEATURES

/** What the operator has said about an account. */
export interface Standing {
  suspendedAt: number | null
  signedOutAt: number | null
  plan: AccountPlan
  /** Only what differs from the settings. */
  features: Partial<Record<Feature, boolean>>
}

export const USUAL: Standing = { suspendedAt: null, signedOutAt: null, plan: {}, features: {} }

export const STANDING_COLUMNS = ['suspended_at', 'signed_out_at', 'per_minute', 'concurrency', 'features'] as const

type StandingRow = Pick<AccountsTable, (typeof STANDING_COLUMNS)[number]>

export function toStanding(row: StandingRow): Standing {
  return {
    suspendedAt: row.suspended_at,
    signedOutAt: row.signed_out_at,
    plan: {
      ...(row.per_minute !== null && { perMinute: row.per_minute }),
      ...(row.concurrency !== null && { concurrencyMax: row.concurrency }),
    },
    features: row.features === null ? {} : (JSON.parse(row.features) as Standing['features']),
  }
}
