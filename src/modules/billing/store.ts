import { sql } from 'kysely'
import { type StoreEngine, sumRaw } from '../../kernel/dialect.ts'
import { type Raw, toRaw } from '../../kernel/money.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import type { Db } from '../../kernel/db.ts'
import type { ServiceOrdersTable, ServicePaymentsTable } from './tables.ts'

/** What one of the service's own checkouts sells. */
export interface Order {
  checkoutId: string
  kind: string
  /** What it is about: a username, an account, or an email address. */
  subject: string
  accountId: string | null
  /** What each plan delivers. */
  detail: JsonObject
  createdAt: number
}

const toOrder = (row: ServiceOrdersTable): Order => ({
  checkoutId: row.checkout_id,
  kind: row.kind,
  subject: row.subject,
  accountId: row.account_id,
  detail: JSON.parse(row.detail) as JsonObject,
  createdAt: row.created_at,
})

export async function insertOrder(db: Db, order: Order): Promise<void> {
  await db
    .insertInto('service_orders')
    .values({
      checkout_id: order.checkoutId,
      kind: order.kind,
      subject: order.subject,
      account_id: order.accountId,
      detail: JSON.stringify(order.detail),
      created_at: order.createdAt,
    })
    .execute()
}

export async function findOrder(db: Db, checkoutId: string): Promise<Order | undefined> {
  const row = await db.selectFrom('service_orders').selectAll().where('checkout_id', '=', checkoutId).executeTakeFirst()
  return row && toOrder(row)
}

/** Locks an order until the transaction ends, so that its payment and its approval are handled one after the other. */
export async function lockOrder(db: Db, checkoutId: string): Promise<Order | undefined> {
  const row = await db
    .updateTable('service_orders')
    .set(({ ref }) => ({ created_at: ref('created_at') }))
    .where('checkout_id', '=', checkoutId)
    .returningAll()
    .executeTakeFirst()
  return row && toOrder(row)
}

/** Stores the details of a locked order. */
export async function updateDetail(db: Db, checkoutId: string, detail: JsonObject): Promise<void> {
  await db
    .updateTable('service_orders')
    .set({ detail: JSON.stringify(detail) })
    .where('checkout_id', '=', checkoutId)
    .execute()
}

/** Deletes the orders of deleted checkouts; one that was paid stays, whatever the caller assumes. */
export async function deleteOrders(db: Db, checkoutIds: readonly string[]): Promise<void> {
  if (checkoutIds.length === 0) return
  await db
    .deleteFrom('service_orders')
    .where('checkout_id', 'in', [...checkoutIds])
    .where(
      sql<boolean>`not exists (select 1 from service_payments where service_payments.checkout_id = service_orders.checkout_id)`,
    )
    .execute()
}

/** The outcome of one payment to the service. */
export interface SettledPayment {
  blockHash: string
  checkoutId: string | null
  kind: string
  subject: string
  accountId: string | null
  payer: string
  amountRaw: Raw
  outcome: ServicePaymentsTable['outcome']
  reason: string | null
  what: string | null
  createdAt: number
}

const toSettled = (row: ServicePaymentsTable): SettledPayment => ({
  blockHash: row.block_hash,
  checkoutId: row.checkout_id,
  kind: row.kind,
  subject: row.subject,
  accountId: row.account_id,
  payer: row.payer,
  amountRaw: toRaw(BigInt(row.amount_raw)),
  outcome: row.outcome,
  reason: row.reason,
  what: row.what,
  createdAt: row.created_at,
})

/** Records a payment as settled, once for each block; false when it was recorded before, and then nothing more may happen because of it. */
export async function insertSettled(db: Db, payment: SettledPayment): Promise<boolean> {
  const row = await db
    .insertInto('service_payments')
    .values({
      block_hash: payment.blockHash,
      checkout_id: payment.checkoutId,
      kind: payment.kind,
      subject: payment.subject,
      account_id: payment.accountId,
      payer: payment.payer,
      amount_raw: payment.amountRaw.toString(),
      outcome: payment.outcome,
      reason: payment.reason,
      what: payment.what,
      created_at: payment.createdAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('block_hash')
    .executeTakeFirst()
  return row !== undefined
}

/** Stores the outcome of a payment that `insertSettled` has just recorded, in the same transaction. */
export async function updateSettled(
  db: Db,
  blockHash: string,
  { outcome, reason, what, accountId }: Pick<SettledPayment, 'outcome' | 'reason' | 'what' | 'accountId'>,
): Promise<void> {
  await db
    .updateTable('service_payments')
    .set({ outcome, reason, what, account_id: accountId })
    .where('block_hash', '=', blockHash)
    .execute()
}

/** Changes a held payment to refunded; undefined when it was not held. */
export async function markReleased(db: Db, blockHash: string): Promise<SettledPayment | undefined> {
  const row = await db
    .updateTable('service_payments')
    .set({ outcome: 'refunded' })
    .where('block_hash', '=', blockHash)
    .where('outcome', '=', 'held')
    .returningAll()
    .executeTakeFirst()
  return row && toSettled(row)
}

/** Whether something was delivered for an order, or waits to be. The caller holds the order's lock. */
export async function isPaidFor(db: Db, checkoutId: string): Promise<boolean> {
  const row = await db
    .selectFrom('service_payments')
    .select('block_hash')
    .where('checkout_id', '=', checkoutId)
    .where('outcome', 'in', ['applied', 'unauthorized'])
    .executeTakeFirst()
  return row !== undefined
}

/** The payment of an order that waits for its owner's approval. */
export async function findUnauthorized(db: Db, checkoutId: string): Promise<SettledPayment | undefined> {
  const row = await db
    .selectFrom('service_payments')
    .selectAll()
    .where('checkout_id', '=', checkoutId)
    .where('outcome', '=', 'unauthorized')
    .executeTakeFirst()
  return row && toSettled(row)
}

/** Orders whose payments have waited since before a time, the oldest first. */
export async function listUnauthorized(db: Db, before: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('service_payments')
    .select('checkout_id')
    // A literal instead of a parameter, so that the partial index of such rows is used.
    .where(sql<boolean>`outcome = 'unauthorized'`)
    .where('created_at', '<=', before)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return rows.flatMap(({ checkout_id: id }) => (id === null ? [] : [id]))
}

/** The payments of one order, oldest first, but the delivered one before all others, so that no limit cuts it off. */
export async function listSettledOf(db: Db, checkoutId: string): Promise<SettledPayment[]> {
  const rows = await db
    .selectFrom('service_payments')
    .selectAll()
    .where('checkout_id', '=', checkoutId)
    .orderBy(({ eb }) => eb.case().when('outcome', '=', 'applied').then(0).else(1).end())
    .orderBy('created_at')
    .orderBy('block_hash')
    .limit(100)
    .execute()
  return rows.map(toSettled)
}

/** Money to return once its payer or an operator has named a recipient, oldest first. */
export async function listHeld(db: Db, limit: number): Promise<SettledPayment[]> {
  const rows = await db
    .selectFrom('service_payments')
    .selectAll()
    .where('outcome', '=', 'held')
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return rows.map(toSettled)
}

/** Returns which of these blocks are settled. */
export async function listSettledAmong(db: Db, hashes: readonly string[]): Promise<Set<string>> {
  if (hashes.length === 0) return new Set()
  const rows = await db
    .selectFrom('service_payments')
    .select('block_hash')
    .where('block_hash', 'in', [...hashes])
    .execute()
  return new Set(rows.map(({ block_hash: hash }) => hash))
}

/** The sum refunded, or to be refunded, of the payments that completed their checkouts. */
export async function sumReturned(db: Db, engine: StoreEngine): Promise<{ count: number; raw: bigint }> {
  const row = await db
    .selectFrom('service_payments')
    .innerJoin('checkouts', 'checkouts.id', 'service_payments.checkout_id')
    .whereRef('checkouts.block_hash', '=', 'service_payments.block_hash')
    .where('service_payments.outcome', 'in', ['refunded', 'held'])
    .select(({ fn }) => fn.countAll().as('count'))
    .select(sumRaw(engine, 'service_payments.amount_raw').as('raw'))
    .executeTakeFirstOrThrow()
  return { count: Number(row.count), raw: BigInt(row.raw) }
}
