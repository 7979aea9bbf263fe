import type { Db } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'

export interface EncryptedSecret {
  sealed: string
  createdAt: number
  previousSealed: string | null
  previousUntil: number | null
}

export async function findEncryptedSecret(db: Db, accountId: string): Promise<EncryptedSecret | undefined> {
  const [row] = await selectEncrypted(db, { accountId })
  return (
    row && {
      sealed: row.sealed,
      createdAt: row.created_at,
      previousSealed: row.previous_sealed,
      previousUntil: row.previous_until,
    }
  )
}

const selectEncrypted = prepared((db, given: Given<{ accountId: string }>) =>
  db
    .selectFrom('webhook_secrets')
    .select(['sealed', 'created_at', 'previous_sealed', 'previous_until'])
    .where('account_id', '=', given('accountId')),
)

/** Keeps the first secret; false when there was one. */
export async function insertEncryptedSecret(db: Db, accountId: string, sealed: string, now: number): Promise<boolean> {
  const row = await db
    .insertInto('webhook_secrets')
    .values({ account_id: accountId, sealed, created_at: now, previous_sealed: null, previous_until: null })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Replaces the current secret, which still signs for a while; one statement, so that concurrent rotations lose none. */
export async function replaceEncryptedSecret(
  db: Db,
  accountId: string,
  { sealed, now, previousUntil }: { sealed: string; now: number; previousUntil: number },
): Promise<boolean> {
  const row = await db
    .updateTable('webhook_secrets')
    .set(({ ref }) => ({ sealed, created_at: now, previous_sealed: ref('sealed'), previous_until: previousUntil }))
    .where('account_id', '=', accountId)
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}
