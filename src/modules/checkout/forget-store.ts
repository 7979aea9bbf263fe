import { sql } from 'kysely'
import { type StoreEngine, skipLocked } from '../../kernel/dialect.ts'
import type { Db } from '../../kernel/db.ts'

/** The last checkout that a run has looked at; the next step continues after it. */
export interface Place {
  watchedUntil: number
  id: string
}

/**
 * Unpaid checkouts whose watch is over and that were made without a key, oldest first. They are locked until the transaction ends; one
 * that another transaction locks is left to a later pass. The condition is written exactly as the index has it.
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

/** Deletes those of the locked checkouts that no payment belongs to or ever could; returns their ids. */
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
  await db.deleteFrom('checkout_buyers').where('checkout_id', 'in', deleted).execute()
  await db.deleteFrom('checkout_quotes').where('checkout_id', 'in', deleted).execute()
  return deleted
}

/** Deletes the address to mail from checkouts that are over, once that mail has been sent; returns how many. */
export async function forgetNotify(db: Db, watchedBefore: number, limit: number): Promise<number> {
  const isOld = sql<boolean>`notify is not null and watched_until < ${watchedBefore}
    and (status in ('expired', 'cancelled') or (status = 'complete' and notified_at is not null))`
  const { numUpdatedRows } = await db
    .updateTable('checkouts')
    .set({ notify: null })
    .where('id', 'in', (query) => query.selectFrom('checkouts').select('id').where(isOld).limit(limit))
    .where(isOld)
    .executeTakeFirst()
  const isOver = sql<boolean>`email is not null and checkout_id in (select id from checkouts
    where owner = 'anonymous' and watched_until < ${watchedBefore} and status in ('expired', 'cancelled', 'complete'))`
  // Checkouts without a key belong to no account. A merchant's buyers stay with the order.
  const buyers = await db
    .updateTable('checkout_buyers')
    .set({ email: null, name: null })
    .where('checkout_id', 'in', (query) =>
      query.selectFrom('checkout_buyers').select('checkout_id').where(isOver).limit(limit),
    )
    .where(isOver)
    .executeTakeFirst()
  return Math.max(Number(numUpdatedRows), Number(buyers.numUpdatedRows))
}
