import type { Db } from '../../kernel/db.ts'
import { takeAlone } from '../../kernel/dialect.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'

/** All wallets, including those of the service. */
export const EVERYBODY = 'all'

export interface SendFreeze {
  /** `all`, or an account id. */
  scope: string
  reason: string
  frozenAt: number
}

interface NewFreeze {
  scope: string
  reason: string
  frozenBy: string
  now: number
}

/** False when the scope was frozen already. Waits for blocks that are being signed: none is stored after the freeze. */
export async function insertFreeze(db: Db, { scope, reason, frozenBy, now }: NewFreeze): Promise<boolean> {
  await takeAlone(db, 'sends')
  const row = await db
    .insertInto('send_freezes')
    .values({ scope, reason, frozen_by: frozenBy, created_at: now })
    .onConflict((conflict) => conflict.column('scope').doNothing())
    .returning('scope')
    .executeTakeFirst()
  return row !== undefined
}

/** False when it was not frozen. */
export async function deleteFreeze(db: Db, scope: string): Promise<boolean> {
  return (await db.deleteFrom('send_freezes').where('scope', '=', scope).returning('scope').execute()).length > 0
}

/** Newest first. */
export async function listFreezes(db: Db, limit: number): Promise<SendFreeze[]> {
  const rows = await db
    .selectFrom('send_freezes')
    .select(['scope', 'reason', 'created_at'])
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ scope, reason, created_at: frozenAt }) => ({ scope, reason, frozenAt }))
}

export const areSendsFrozen = async (db: Db, accountId: string | null): Promise<boolean> =>
  (await selectFreeze(db, { accountId: accountId ?? EVERYBODY })).length > 0

const selectFreeze = prepared((db, given: Given<{ accountId: string }>) =>
  db
    .selectFrom('send_freezes')
    .select('scope')
    .where((where) => where.or([where('scope', '=', EVERYBODY), where('scope', '=', given('accountId'))]))
    .limit(1),
)
