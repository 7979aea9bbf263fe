import { sql } from 'kysely'
import { type StoreEngine, skipLocked } from '../../kernel/dialect.ts'
import type { Db } from '../../kernel/db.ts'

/** Where a walk over old checkouts stands. */
export interface Place {
  watchedUntil: number
  id: string
}

/**
 * Checkouts that nobody with a key has made and nothing was paid for, whose time is long over, oldest first. They are held
 * until the transaction ends; one that somebody else holds is for another round. Written as the index has it.
 */
export async function lockUnpaid(
  db: Db,
  engine: StoreEngine,
  { watchedBefore, after, limit }: { watchedBefore: number; after: Place | undefined; limit: number },
): Promise<Place[]> {
  const { watchedUntil = 0, id = '' } = after ?? {}
  const { rows } = await sql<{ id: string; watched_until: number }>`
    select id, watched_until from checkouts
    where owner in ('anonymous', 'service') and status in ('expired', 'cancelled') and additional_status = 'none'
      and watched_until < ${watchedBefore} and (watched_until, id) > (${watchedUntil}, ${id})
    order by watched_until, id limit ${sql.lit(limit)} ${skipLocked(engine)}`.execute(db)
  return rows.map((row) => ({ watchedUntil: row.watched_until, id: row.id }))
}

/** Deletes those of them to which no money belongs, nor could any more; answers which. The caller holds them. */
export async function deleteUnpaid(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const gone = await db
    .deleteFrom('checkouts')
    .where('id', 'in', [...ids])
    .where('paid_raw', '=', '0')
    .where('wallet_id', 'is', null)
    .where(
      sql<boolean>`not exists (select 1 from checkout_payments where checkout_payments.checkout_id = checkouts.id)`,
    )
    .where(
      sql<boolean>`not exists (select 1 from checkout_reservations where checkout_reservations.checkout_id = checkouts.id)`,
    )
    .where(sql<boolean>`not exists (select 1 from checkout_refunds where checkout_refunds.checkout_id = checkouts.id)`)
    .returning('id')
    .execute()
  const deleted = gone.map(({ id }) => id)
  if (deleted.length === 0) return []
  await db.deleteFrom('checkout_timeline').where('checkout_id', 'in', deleted).execute()
  await db.deleteFrom('checkout_quotes').where('checkout_id', 'in', deleted).execute()
  return deleted
}

/** Blanks whom to mail about checkouts that are over, once whoever was to be mailed has been; answers how many. */
export async function forgetNotify(db: Db, watchedBefore: number, limit: number): Promise<number> {
  const isOld = sql<boolean>`notify is not null and watched_until < ${watchedBefore}
    and (status in ('expired', 'cancelled') or (status = 'complete' and notified_at is not null))`
  const { numUpdatedRows } = await db
    .updateTable('checkouts')
    .set({ notify: null })
    .where('id', 'in', (query) => query.selectFrom('checkouts').select('id').where(isOld).limit(limit))
    .where(isOld)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
