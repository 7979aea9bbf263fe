import type { Db } from '../../kernel/db.ts'
import { prepared } from '../../kernel/prepared.ts'

/** A restore from a backup whose later sends the operator has not compared yet. */
interface Restore {
  reason: string
  foundAt: number
}

export async function findRestore(db: Db): Promise<Restore | undefined> {
  const [row] = await selectUnsettled(db, {})
  return row && { reason: row.reason, foundAt: row.created_at }
}

const selectUnsettled = prepared((db) =>
  db.selectFrom('store_restores').select(['reason', 'created_at']).where('unsettled', '=', 1),
)

/** Stores a restore; false when an earlier one is not settled yet. */
export async function insertRestore(
  db: Db,
  { id, reason, now }: { id: string; reason: string; now: number },
): Promise<boolean> {
  const row = await db
    .insertInto('store_restores')
    .values({ id, unsettled: 1, reason, created_at: now, settled_at: null })
    .onConflict((conflict) => conflict.column('unsettled').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** False when there is nothing to settle. */
export async function markRestoreSettled(db: Db, now: number): Promise<boolean> {
  const rows = await db
    .updateTable('store_restores')
    .set({ unsettled: null, settled_at: now })
    .where('unsettled', '=', 1)
    .returning('id')
    .execute()
  return rows.length > 0
}
