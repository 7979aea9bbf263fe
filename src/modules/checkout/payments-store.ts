import { type RecordIn, type RowIn, columns, plain, raw } from '../../kernel/resource/columns.ts'
import { type Place, behind } from '../../kernel/paging.ts'
import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import { type Given, givenRow, prepared } from '../../kernel/prepared.ts'
import { ANONYMOUS } from './record.ts'

/** A confirmed send as it concerns one owner. */
const PAYMENT = columns({
  owner: plain<string>(),
  blockHash: plain<string>(),
  /** The checkout it paid, or the one it may be meant for while it is unmatched. */
  checkoutId: plain<string | null>(),
  kind: plain<'counted' | 'late' | 'unmatched'>(),
  address: plain<string>(),
  payer: plain<string>(),
  amountRaw: raw(),
  plan: plain<number | null>(),
  rate: plain<string | null>(),
  rateSource: plain<string | null>(),
  /** When the send was first known, here or to the node. */
  at: plain<number>(),
  createdAt: plain<number>(),
})

export type Payment = RecordIn<typeof PAYMENT>
export type CheckoutPaymentsTable = RowIn<typeof PAYMENT>
export const toPayment = PAYMENT.toRecord

/** Records a block once for each owner. Only the transaction that gets true may change anything because of the payment. */
export async function insertPayment(db: Db, payment: Payment): Promise<boolean> {
  const recorded = await insertRow(db, PAYMENT.toRow(payment))
  return recorded.length > 0
}

const insertRow = prepared((db, given: Given<CheckoutPaymentsTable>) =>
  db
    .insertInto('checkout_payments')
    .values(givenRow(given, PAYMENT.names))
    .onConflict((conflict) => conflict.doNothing())
    .returning('owner'),
)

/** Returns which of these blocks are recorded for some owner already. */
export async function listRecorded(db: Db, hashes: readonly string[]): Promise<Set<string>> {
  if (hashes.length === 0) return new Set()
  const rows = await db
    .selectFrom('checkout_payments')
    .select('block_hash')
    .where('block_hash', 'in', [...hashes])
    .execute()
  return new Set(rows.map(({ block_hash: hash }) => hash))
}

export async function listPayments(db: Db, checkoutId: string, limit = 500): Promise<Payment[]> {
  const rows = await db
    .selectFrom('checkout_payments')
    .selectAll()
    .where('checkout_id', '=', checkoutId)
    .orderBy('created_at')
    .orderBy('block_hash')
    .limit(limit)
    .execute()
  return rows.map(toPayment)
}

/** Lists everyone who has paid for a checkout. It lists payers, not payments, so many small payments cannot hide one. */
export async function listPayers(db: Db, checkoutId: string, limit = 100): Promise<string[]> {
  const rows = await db
    .selectFrom('checkout_payments')
    .select('payer')
    .distinct()
    .where('checkout_id', '=', checkoutId)
    .where('kind', '<>', 'unmatched')
    .orderBy('payer')
    .limit(limit)
    .execute()
  return rows.map(({ payer }) => payer)
}

/** Lists an owner's unmatched payments, newest first; `after` is the last one of the previous page. */
export async function listUnmatched(
  db: Db,
  { owner, after, limit }: { owner: string; after?: Place | undefined; limit: number },
): Promise<Payment[]> {
  let query = db.selectFrom('checkout_payments').selectAll().where('owner', '=', owner)
  // A literal instead of a parameter, so that the partial index of such rows is used.
  query = query.where(sql<boolean>`kind = 'unmatched'`)
  if (after) {
    query = query.where(behind(['created_at', 'desc', after.createdAt], ['block_hash', 'asc', after.id]))
  }
  const rows = await query.orderBy('created_at', 'desc').orderBy('block_hash').limit(limit).execute()
  return rows.map(toPayment)
}

export async function countUnmatched(db: Db, owner: string): Promise<number> {
  const row = await db
    .selectFrom('checkout_payments')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('owner', '=', owner)
    .where(sql<boolean>`kind = 'unmatched'`)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Finds checkouts without an owner that these blocks have paid: the owner of their address may not know them. */
export async function listKeylessPaid(db: Db, hashes: readonly string[]): Promise<Map<string, string>> {
  if (hashes.length === 0) return new Map()
  const rows = await db
    .selectFrom('checkout_payments')
    .select(['block_hash', 'checkout_id'])
    .where('block_hash', 'in', [...hashes])
    .where('owner', '=', ANONYMOUS)
    .where('kind', '=', 'counted')
    .execute()
  return new Map(rows.map(({ block_hash: hash, checkout_id: id }) => [hash, id!]))
}

export async function findUnmatched(
  db: Db,
  { owner, blockHash }: { owner: string; blockHash: string },
): Promise<Payment | undefined> {
  const row = await db
    .selectFrom('checkout_payments')
    .selectAll()
    .where('owner', '=', owner)
    .where('block_hash', '=', blockHash)
    .where('kind', '=', 'unmatched')
    .executeTakeFirst()
  return row && toPayment(row)
}

/** Assigns an unmatched payment to a checkout; returns the payment, or undefined when it was no longer unmatched. */
export async function markAssigned(
  db: Db,
  { owner, blockHash, checkoutId }: { owner: string; blockHash: string; checkoutId: string },
): Promise<Payment | undefined> {
  const row = await db
    .updateTable('checkout_payments')
    .set({ kind: 'counted', checkout_id: checkoutId })
    .where('owner', '=', owner)
    .where('block_hash', '=', blockHash)
    .where('kind', '=', 'unmatched')
    .returningAll()
    .executeTakeFirst()
  return row && toPayment(row)
}
