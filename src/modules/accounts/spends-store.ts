import { sql } from 'kysely'
import { STEP_ROWS, deleteSome } from '../../kernel/retention.ts'
import type { Db } from '../../kernel/db.ts'
import { type Raw, toRaw } from '../../kernel/money.ts'

/** A limit and a day in UTC, as text. */
export interface SpendDay {
  limitId: string
  day: string
}

/** The sum spent or reserved on a day; locks the row until the transaction ends, so that concurrent spending is counted one after another. */
export async function lockSpendDay(db: Db, { limitId, day }: SpendDay): Promise<Raw> {
  const row = await db
    .insertInto('key_spend_days')
    .values({ limit_id: limitId, day, spent_raw: '0' })
    .onConflict((conflict) =>
      conflict.columns(['limit_id', 'day']).doUpdateSet(({ ref }) => ({ spent_raw: ref('key_spend_days.spent_raw') })),
    )
    .returning('spent_raw')
    .executeTakeFirstOrThrow()
  return toRaw(BigInt(row.spent_raw))
}

/** Changes the sum from one value to another; false when it has another value. */
export async function moveSpent(
  db: Db,
  { limitId, day }: SpendDay,
  { from, to }: { from: Raw; to: Raw },
): Promise<boolean> {
  const row = await db
    .updateTable('key_spend_days')
    .set({ spent_raw: to.toString() })
    .where('limit_id', '=', limitId)
    .where('day', '=', day)
    .where('spent_raw', '=', from.toString())
    .returning('day')
    .executeTakeFirst()
  return row !== undefined
}

export async function findSpent(db: Db, { limitId, day }: SpendDay): Promise<Raw> {
  const row = await db
    .selectFrom('key_spend_days')
    .select('spent_raw')
    .where('limit_id', '=', limitId)
    .where('day', '=', day)
    .executeTakeFirst()
  return toRaw(BigInt(row?.spent_raw ?? '0'))
}

/** An earlier reservation for the same money, which is restored if this one is released. */
interface Covered {
  reference: string
  amount: Raw
}

export async function insertSpend(
  db: Db,
  spend: SpendDay & { reference: string; amount: Raw; covered?: Covered | undefined },
): Promise<void> {
  const { limitId, day, reference, amount, covered } = spend
  await db
    .insertInto('key_spends')
    .values({
      limit_id: limitId,
      reference,
      day,
      amount_raw: amount.toString(),
      covers: covered?.reference ?? null,
      covered_raw: covered?.amount.toString() ?? null,
    })
    .execute()
}

/** The amount a limit has reserved for something on a day. */
export async function findSpend(
  db: Db,
  { limitId, day, reference }: SpendDay & { reference: string },
): Promise<Raw | undefined> {
  const row = await db
    .selectFrom('key_spends')
    .select('amount_raw')
    .where('limit_id', '=', limitId)
    .where('reference', '=', reference)
    .where('day', '=', day)
    .executeTakeFirst()
  return row && toRaw(BigInt(row.amount_raw))
}

/** Deletes that reservation. */
export async function deleteSpend(
  db: Db,
  { limitId, reference }: { limitId: string; reference: string },
): Promise<void> {
  await db.deleteFrom('key_spends').where('limit_id', '=', limitId).where('reference', '=', reference).execute()
}

/** The days and limits with reservations for these references, in the order in which they are locked. */
export async function listSpendDays(db: Db, references: readonly string[]): Promise<SpendDay[]> {
  if (references.length === 0) return []
  const rows = await db
    .selectFrom('key_spends')
    .select(['limit_id', 'day'])
    .distinct()
    .where('reference', 'in', references)
    .execute()
  const keyOf = ({ limitId, day }: SpendDay) => `${limitId} ${day}`
  return rows
    .map(({ limit_id: limitId, day }) => ({ limitId, day }))
    .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

/** Deletes the reservations of these references on a locked day, and returns them. */
export async function deleteSpends(
  db: Db,
  { limitId, day }: SpendDay,
  references: readonly string[],
): Promise<{ amount: Raw; covered: Covered | undefined }[]> {
  const rows = await db
    .deleteFrom('key_spends')
    .where('limit_id', '=', limitId)
    .where('day', '=', day)
    .where('reference', 'in', references)
    .returning(['amount_raw', 'covers', 'covered_raw'])
    .execute()
  return rows.map(({ amount_raw: amount, covers: reference, covered_raw: covered }) => ({
    amount: toRaw(BigInt(amount)),
    covered: reference === null ? undefined : { reference, amount: toRaw(BigInt(covered!)) },
  }))
}

/** Deletes past days: whatever was reserved then has been sent or released. */
export async function deleteOldSpends(db: Db, before: string, limit = STEP_ROWS): Promise<number> {
  const where = sql<boolean>`day < ${before}`
  const spends = await deleteSome(db, { from: 'key_spends', key: ['limit_id', 'reference'], where, limit })
  const days = await deleteSome(db, { from: 'key_spend_days', key: ['limit_id', 'day'], where, limit })
  return Math.max(spends, days)
}
