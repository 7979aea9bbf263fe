import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { type StoreEngine, sumRaw } from '../../../kernel/dialect.ts'
import { behind } from '../../../kernel/keyset.ts'
import { type Payment, toPayment } from '../payments-store.ts'
import { type Refund, sumsOf, toRefund } from '../refunds/store.ts'
import type { Revenue } from '../report-store.ts'
import { type Checkout, toCheckout } from '../record.ts'
import { sumRevenueDays } from '../sums-store.ts'
import { CHECKOUT_COLUMNS } from '../tables.ts'

const DAY = 86_400_000

/** Whose books, from the first moment on, up to but without the last. */
export interface Span {
  owner: string
  from: number
  to: number
}

interface Page<T> {
  after?: T | undefined
  limit: number
}

/** What was paid in full, or marked as paid, in a time: oldest first, page by page. */
export async function listSales(
  db: Db,
  { owner, from, to }: Span,
  { after, limit }: Page<Checkout>,
): Promise<Checkout[]> {
  let query = db
    .selectFrom('checkouts')
    .select(CHECKOUT_COLUMNS)
    .where('owner', '=', owner)
    .where('status', '=', 'complete')
    .where('paid_at', '>=', after?.paidAt ?? from)
    .where('paid_at', '<', to)
  if (after) query = query.where(behind(['paid_at', 'asc', after.paidAt!], ['id', 'asc', after.id]))
  const rows = await query.orderBy('paid_at').orderBy('id').limit(limit).execute()
  return rows.map(toCheckout)
}

/** What went back in a time, or is on its way, of sales and of what was none. */
export async function listRefundsOf(
  db: Db,
  { owner, from, to }: Span,
  { after, limit }: Page<Refund>,
): Promise<Refund[]> {
  let query = db
    .selectFrom('checkout_refunds')
    .selectAll()
    .where('owner', '=', owner)
    .where('status', '<>', 'failed')
    .where('created_at', '>=', after?.createdAt ?? from)
    .where('created_at', '<', to)
  if (after) query = query.where(behind(['created_at', 'asc', after.createdAt], ['id', 'asc', after.id]))
  const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute()
  return rows.map(toRefund)
}

const paymentsApart = (db: Db, { owner, from, to }: Span) =>
  db
    .selectFrom('checkout_payments')
    .leftJoin('checkouts', 'checkouts.id', 'checkout_payments.checkout_id')
    .where('checkout_payments.owner', '=', owner)
    .where('checkout_payments.created_at', '>=', from)
    .where('checkout_payments.created_at', '<', to)
    .where(({ or, eb }) =>
      or([
        eb('checkout_payments.kind', '=', 'unmatched'),
        eb('checkouts.id', 'is', null),
        eb('checkouts.status', '<>', 'complete'),
      ]),
    )

/** Money that came in a time and has sold nothing so far: too late, too little, or fitting nothing. */
export async function listApart(db: Db, span: Span, { after, limit }: Page<Payment>): Promise<Payment[]> {
  const { createdAt, blockHash } = after ?? {}
  let query = paymentsApart(db, { ...span, from: createdAt ?? span.from }).selectAll('checkout_payments')
  if (createdAt !== undefined) {
    query = query.where(
      behind(['checkout_payments.created_at', 'asc', createdAt], ['checkout_payments.block_hash', 'asc', blockHash!]),
    )
  }
  const rows = await query
    .orderBy('checkout_payments.created_at')
    .orderBy('checkout_payments.block_hash')
    .limit(limit)
    .execute()
  return rows.map(toPayment)
}

/** The same, added up. */
export async function sumApart(db: Db, engine: StoreEngine, span: Span): Promise<{ count: number; raw: bigint }> {
  const row = await paymentsApart(db, span)
    .select(({ fn }) => fn.countAll().as('count'))
    .select(sumRaw(engine, 'checkout_payments.amount_raw').as('raw'))
    .executeTakeFirstOrThrow()
  return { count: Number(row.count), raw: BigInt(row.raw) }
}

const toRevenue = (row: { currency: string; count: number | string | bigint; raw: string; e8: string }): Revenue => ({
  currency: row.currency,
  count: Number(row.count),
  raw: BigInt(row.raw),
  e8: BigInt(row.e8),
})

/** What sales of a time came to by currency: whole days come from the sums that reports read, the rest is counted. */
export async function sumSales(db: Db, engine: StoreEngine, { owner, from, to }: Span): Promise<Revenue[]> {
  const [firstDay, endDay] = [Math.ceil(from / DAY), Math.floor(to / DAY)]
  const days = await sumRevenueDays(db, engine, { owner, since: firstDay * DAY, until: endDay * DAY })
  const parts: Revenue[] = days.map(({ currency, count, raw, e8 }) => ({ currency, count, raw, e8 }))
  for (const [start, end] of [
    [from, firstDay * DAY],
    [endDay * DAY, to],
  ] as const) {
    if (start < end) parts.push(...(await countSales(db, engine, { owner, from: start, to: end })))
  }
  const sums = new Map<string, Revenue>()
  for (const part of parts) {
    const known = sums.get(part.currency) ?? { currency: part.currency, count: 0, raw: 0n, e8: 0n }
    const { currency, count, raw, e8 } = known
    sums.set(currency, { currency, count: count + part.count, raw: raw + part.raw, e8: e8 + part.e8 })
  }
  return [...sums.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1))
}

async function countSales(db: Db, engine: StoreEngine, { owner, from, to }: Span): Promise<Revenue[]> {
  const rows = await db
    .selectFrom('checkouts')
    .where('owner', '=', owner)
    .where('status', '=', 'complete')
    .where('paid_at', '>=', from)
    .where('paid_at', '<', to)
    .select(({ fn }) => ['currency', fn.countAll().as('count')])
    .select([sumRaw(engine, 'paid_raw').as('raw'), sumRaw(engine, 'price_e8').as('e8')])
    .groupBy('currency')
    .execute()
  return rows.map(toRevenue)
}

/** What went back in a time by currency: of what was sold, whenever that was, or of everything else. */
export async function sumRefundsOf(
  db: Db,
  engine: StoreEngine,
  { owner, from, to }: Span,
  of: 'sales' | 'others',
): Promise<Revenue[]> {
  const rows = await db
    .selectFrom('checkout_refunds')
    .innerJoin('checkouts', 'checkouts.id', 'checkout_refunds.checkout_id')
    .where('checkout_refunds.owner', '=', owner)
    .where('checkout_refunds.status', '<>', 'failed')
    .where('checkout_refunds.created_at', '>=', from)
    .where('checkout_refunds.created_at', '<', to)
    .where('checkouts.status', of === 'sales' ? '=' : '<>', 'complete')
    .select(({ fn }) => ['checkout_refunds.currency', fn.countAll().as('count')])
    .select(sumsOf(engine))
    .groupBy('checkout_refunds.currency')
    .orderBy(sql`1`)
    .execute()
  return rows.map(toRevenue)
}
