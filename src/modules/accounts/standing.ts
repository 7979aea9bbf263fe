import type { Db, Tables } from '../../kernel/db.ts'
import type { AccountPlan } from '../../kernel/rights.ts'

/** Notifies other instances that an account's rights have changed. */
export const STANDING_NOTICE = 'account'

/** Features that the operator can switch on or off for one account, whatever the settings say. */
export const FEATURES = {
  generated_wallets: 'Checkouts with a wallet of their own',
  wallet_sends: 'Sends from cloud wallets',
} as const

export type Feature = keyof typeof FEATURES

/** The operator's settings for an account. */
export interface Standing {
  suspendedAt: number | null
  signedOutAt: number | null
  plan: AccountPlan
  /** Contains only what differs from the settings. */
  features: Partial<Record<Feature, boolean>>
}

export const USUAL: Standing = { suspendedAt: null, signedOutAt: null, plan: {}, features: {} }

export const STANDING_COLUMNS = ['suspended_at', 'signed_out_at', 'per_minute', 'concurrency', 'features'] as const

type StandingRow = Pick<Tables['accounts'], (typeof STANDING_COLUMNS)[number]>

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

/** Suspends an active account; false when it is suspended already or an administrator's. */
export async function markSuspended(db: Db, accountId: string, now: number): Promise<boolean> {
  const row = await db
    .updateTable('accounts')
    .set({ suspended_at: now })
    .where('id', '=', accountId)
    .where('suspended_at', 'is', null)
    .where('role', '!=', 'admin')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Ends a suspension; false when there was none. */
export async function markResumed(db: Db, accountId: string): Promise<boolean> {
  const row = await db
    .updateTable('accounts')
    .set({ suspended_at: null })
    .where('id', '=', accountId)
    .where('suspended_at', 'is not', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function updateSignedOut(db: Db, accountId: string, now: number): Promise<void> {
  await db.updateTable('accounts').set({ signed_out_at: now }).where('id', '=', accountId).execute()
}

/** Sets whether people with passkeys may sign in by mail as well. */
export async function updateMailLinks(db: Db, accountId: string, allowed: boolean): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ mail_links: Number(allowed) })
    .where('id', '=', accountId)
    .execute()
}

/** Sets an account's own limits; where one is missing, the limit of its plan applies. */
export async function updatePlan(db: Db, accountId: string, { perMinute, concurrencyMax }: AccountPlan): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ per_minute: perMinute ?? null, concurrency: concurrencyMax ?? null })
    .where('id', '=', accountId)
    .execute()
}

/** Call it with the account locked, because all features are stored as one value. */
export async function updateFeatures(db: Db, accountId: string, features: Standing['features']): Promise<void> {
  const text = Object.keys(features).length === 0 ? null : JSON.stringify(features)
  await db.updateTable('accounts').set({ features: text }).where('id', '=', accountId).execute()
}

/** Whether a feature is on for an account: the operator's choice for it, otherwise the settings. */
export async function hasFeature(db: Db, accountId: string, feature: Feature, otherwise: boolean): Promise<boolean> {
  const row = await db.selectFrom('accounts').select('features').where('id', '=', accountId).executeTakeFirst()
  const said = row?.features ? (JSON.parse(row.features) as Standing['features'])[feature] : undefined
  return said ?? otherwise
}
