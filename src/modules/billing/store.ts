import { columns, json, plain, raw, type RecordIn, type RowIn } from '../../kernel/resource/columns.ts'
import { sql } from 'kysely'
import { type StoreEngine, sumRaw } from '../../kernel/dialect.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import type { Db } from '../../kernel/db.ts'

/** What one of the service's own checkouts sells. */
const ORDER = columns({
  checkoutId: plain<string>(),
  kind: plain<string>(),
  /** What it is about: a username, an account, or an email address. */
  subject: plain<string>(),
  accountId: plain<string | null>(),
  /** JSON object: what each plan delivers. */
  detail: json<JsonObject>(),
  createdAt: plain<number>(),
})

export type Order = RecordIn<typeof ORDER>
export type ServiceOrdersTable = RowIn<typeof ORDER>
const toOrder = ORDER.toRecord

export async function insertOrder(db: Db, order: Order): Promise<void> {
  await db.insertInto('service_orders').values(ORDER.toRow(order)).execute()
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

/** The outcome of money paid for an order, one row for each block. */
const SETTLED = columns({
  blockHash: plain<string>(),
  checkoutId: plain<string | null>(),
  kind: plain<string>(),
  subject: plain<string>(),
  accountId: plain<string | null>(),
  payer: plain<string>(),
  amountRaw: raw(),
  /** Held money is returned once its payer or an operator has named a recipient; unauthorized money waits for an owner's approval. */
  outcome: plain<'applied' | 'refunded' | 'held' | 'unauthorized'>(),
  /** Why nothing was delivered. */
  reason: plain<string | null>(),
  /** What was delivered, as text. */
  what: plain<string | null>(),
  createdAt: plain<number>(),
})

export type SettledPayment = RecordIn<typeof SETTLED>
export type ServicePaymentsTable = RowIn<typeof SETTLED>
const toSettled = SETTLED.toRecord

/** Records a payment as settled, once for each block; false when it was recorded before, and then nothing more may happen because of it. */
export async function insertSettled(db: Db, payment: SettledPayment): Promise<boolean> {
  const row = await db
    .insertInto('service_payments')
    .values(SETTLED.toRow(payment))
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
