import { sql } from 'kysely'
import { STEP_ROWS, deleteSome } from '../../kernel/retention.ts'
import type { Db, Tables } from '../../kernel/db.ts'

export async function findAvailable(db: Db, accountId: string): Promise<number> {
  const row = await db
    .selectFrom('credit_balances')
    .select('available')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.available ?? 0
}

/** Adds credits that an account can spend. */
export async function addAvailable(db: Db, accountId: string, amount: number): Promise<void> {
  await db
    .insertInto('credit_balances')
    .values({ account_id: accountId, available: amount })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet(({ eb, ref }) => ({ available: eb('credit_balances.available', '+', ref('excluded.available')) })),
    )
    .execute()
}

/** Takes credits if there are enough. One statement, so that no account overdraws. */
export async function takeAvailable(db: Db, accountId: string, amount: number): Promise<boolean> {
  const won = await db
    .updateTable('credit_balances')
    .set(({ eb }) => ({ available: eb('available', '-', amount) }))
    .where('account_id', '=', accountId)
    .where('available', '>=', amount)
    .returning('account_id')
    .executeTakeFirst()
  return won !== undefined
}

/** Adds an entry once; false when its reference exists already. */
export async function insertEntry(
  db: Db,
  entry: { id: string; accountId: string; amount: number; reason: string; reference: string; createdAt: number },
): Promise<boolean> {
  const { id, accountId: account_id, amount, reason, reference, createdAt: created_at } = entry
  const row = await db
    .insertInto('credit_entries')
    .values({ id, account_id, amount, reason, reference, created_at })
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

interface CreditEntry {
  id: string
  amount: number
  reason: string
  createdAt: number
}

/** The entries of an account's credits, newest first. */
export async function listEntries(db: Db, accountId: string, limit: number): Promise<CreditEntry[]> {
  const rows = await db
    .selectFrom('credit_entries')
    .select(['id', 'amount', 'reason', 'created_at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ created_at: createdAt, ...row }) => ({ ...row, createdAt }))
}

export interface Reservation {
  id: string
  accountId: string
  amount: number
}

export async function insertReservation(
  db: Db,
  { id, accountId, amount, createdAt, expiresAt }: Reservation & { createdAt: number; expiresAt: number },
): Promise<void> {
  const row = { id, account_id: accountId, amount, created_at: createdAt, expires_at: expiresAt }
  await db
    .insertInto('credit_reservations')
    .values({ ...row, status: 'open' })
    .execute()
}

/** Ends an open reservation as committed or released; undefined when another request has ended it. */
export async function markReservation(
  db: Db,
  id: string,
  status: 'committed' | 'released',
): Promise<Reservation | undefined> {
  const row = await db
    .updateTable('credit_reservations')
    .set({ status })
    .where('id', '=', id)
    .where('status', '=', 'open')
    .returning(['id', 'account_id', 'amount'])
    .executeTakeFirst()
  return row && { id: row.id, accountId: row.account_id, amount: row.amount }
}

export async function listExpiredReservations(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('credit_reservations')
    .select('id')
    .where('status', '=', 'open')
    .where('expires_at', '<', now)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Well below the maximum number of parameters of either engine. */
const USAGE_ROWS_AT_ONCE = 1_000

export interface UsageCount {
  accountId: string
  day: string
  action: string
  count: number
}

/** Adds a batch of counts once; false when it was added before. Call it in a transaction. */
export async function addUsage(db: Db, batchId: string, counts: readonly UsageCount[], now: number): Promise<boolean> {
  const first = await db
    .insertInto('usage_batches')
    .values({ id: batchId, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!first || counts.length === 0) return false
  const rows = toUsageRows(counts)
  for (let at = 0; at < rows.length; at += USAGE_ROWS_AT_ONCE) {
    await db
      .insertInto('usage_days')
      .values(rows.slice(at, at + USAGE_ROWS_AT_ONCE))
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'day', 'action'])
          .doUpdateSet(({ eb, ref }) => ({ count: eb('usage_days.count', '+', ref('excluded.count')) })),
      )
      .execute()
  }
  return true
}

/** One row for each key, because a statement cannot change a row twice; in a fixed order, so that instances never deadlock. */
function toUsageRows(counts: readonly UsageCount[]): Tables['usage_days'][] {
  const rows = new Map<string, Tables['usage_days']>()
  for (const { accountId, day, action, count } of counts) {
    const key = JSON.stringify([accountId, day, action])
    const row = rows.get(key)
    if (row) row.count += count
    else rows.set(key, { account_id: accountId, day, action, count })
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

export async function listUsage(db: Db, accountId: string, sinceDay: string): Promise<Omit<UsageCount, 'accountId'>[]> {
  return db
    .selectFrom('usage_days')
    .select(['day', 'action', 'count'])
    .where('account_id', '=', accountId)
    .where('day', '>=', sinceDay)
    .orderBy('day', 'desc')
    .limit(5_000)
    .execute()
}

/** Old batches cannot be repeated: a flush is repeated within seconds or lost with its process. */
export function deleteOldBatches(db: Db, before: number, limit = STEP_ROWS): Promise<number> {
  return deleteSome(db, { from: 'usage_batches', key: ['id'], where: sql`created_at < ${before}`, limit })
}

/** Deletes ended reservations; the ledger of credits keeps what became of them. */
export function deleteEndedReservations(db: Db, before: number, limit = STEP_ROWS): Promise<number> {
  const where = sql<boolean>`status <> 'open' and created_at < ${before}`
  return deleteSome(db, { from: 'credit_reservations', key: ['id'], where, limit })
}
