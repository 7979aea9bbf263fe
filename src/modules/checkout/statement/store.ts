import { type ExpressionBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { toRaw } from '../../../kernel/money.ts'
import type { Tables } from '../../../kernel/db.ts'
import { type StoreEngine, sumRaw } from '../../../kernel/dialect.ts'
import { behind } from '../../../kernel/paging.ts'
import { type Payment, toPayment } from '../payments-store.ts'
import { type Refund, sumsOf, toRefund } from '../refunds/store.ts'
import { addRevenue } from '../report-store.ts'
import type { Revenue } from '../sums-store.ts'
import { type Checkout, toCheckout } from '../record.ts'
import { sumRevenueDays } from '../sums-store.ts'
import { CHECKOUT_COLUMNS } from '../record.ts'

const DAY = 86_400_000

/** The owner and the period of a report: the first moment is included, the last is not. */
export interface Span {
  owner: string
  from: number
  to: number
}

interface Page<T> {
  after?: T | undefined
  limit: number
}

/** Sales paid in full or marked as paid in a time, oldest first, page by page. */
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
  return asSold(db, rows.map(toCheckout))
}

/** Payments for a sale after it was complete, which the books count on their own day. */
const paidAgain = (db: Db) =>
  db
    .selectFrom('checkout_payments')
    .innerJoin('checkouts', 'checkouts.id', 'checkout_payments.checkout_id')
    .where('checkouts.status', '=', 'complete')
    .where('checkout_payments.kind', '<>', 'unmatched')
    .whereRef('checkout_payments.created_at', '>', 'checkouts.paid_at')

/** Checkouts with the amount paid up to the moment when they were complete. */
async function asSold(db: Db, sales: readonly Checkout[]): Promise<Checkout[]> {
  if (sales.length === 0) return []
  const ids = sales.map(({ id }) => id)
  const rows = await paidAgain(db)
    .select(['checkouts.id', 'checkout_payments.amount_raw'])
    .where('checkouts.id', 'in', ids)
    .execute()
  const again = new Map<string, bigint>()
  for (const { id, amount_raw: raw } of rows) again.set(id, (again.get(id) ?? 0n) + BigInt(raw))
  return sales.map((sale) => ({ ...sale, paidRaw: toRaw(sale.paidRaw - (again.get(sale.id) ?? 0n)) }))
}

const paidAgainIn = (db: Db, { owner, from, to }: Span) =>
  paidAgain(db)
    .where('checkout_payments.owner', '=', owner)
    .where('checkout_payments.created_at', '>=', from)
    .where('checkout_payments.created_at', '<', to)

/** Payments in a time for sales that were complete already, oldest first, page by page. */
export async function listPaidAgain(db: Db, span: Span, { after, limit }: Page<Payment>): Promise<Payment[]> {
  let query = paidAgainIn(db, { ...span, from: after?.createdAt ?? span.from }).selectAll('checkout_payments')
  if (after) query = query.where(behindPayment(after))
  const rows = await query
    .orderBy('checkout_payments.created_at')
    .orderBy('checkout_payments.block_hash')
    .limit(limit)
    .execute()
  return rows.map(toPayment)
}

const behindPayment = ({ createdAt, blockHash }: Payment) =>
  behind(['checkout_payments.created_at', 'asc', createdAt], ['checkout_payments.block_hash', 'asc', blockHash])

/** Refunds made or under way in a time, of sales and of payments that sold nothing. */
export async function listRefundsOf(
  db: Db,
  { owner, from, to }: Span,
  { after, limit }: Page<Refund>,
): Promise<Refund[]> {
  let query = db
    .selectFrom('checkout_refunds')
    .selectAll()
    .where('owner', '=', owner)
    .where(stood(to))
    .where('created_at', '>=', after?.createdAt ?? from)
    .where('created_at', '<', to)
  if (after) query = query.where(behind(['created_at', 'asc', after.createdAt], ['id', 'asc', after.id]))
  const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute()
  return rows.map(toRefund)
}

/** Whether a refund had not failed by the end of a time: a later failure does not change that time. */
const stood = (to: number) => (eb: ExpressionBuilder<Tables, 'checkout_refunds'>) =>
  eb.or([eb('checkout_refunds.status', '<>', 'failed'), eb('checkout_refunds.ended_at', '>=', to)])

/** Refunds of earlier times that failed in this one, so that their amounts came back. */
export async function listFailedOf(
  db: Db,
  { owner, from, to }: Span,
  { after, limit }: Page<Refund>,
): Promise<Refund[]> {
  let query = db
    .selectFrom('checkout_refunds')
    .selectAll()
    .where('owner', '=', owner)
    .where('status', '=', 'failed')
    .where('created_at', '<', from)
    .where('ended_at', '>=', from)
    .where('ended_at', '<', to)
  if (after) query = query.where(behind(['ended_at', 'asc', after.endedAt!], ['id', 'asc', after.id]))
  const rows = await query.orderBy('ended_at').orderBy('id').limit(limit).execute()
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
        eb('checkouts.paid_at', '>=', to),
      ]),
    )

/** Payments of a time that had sold nothing by its end: too late, too little, or matching no checkout. */
export async function listApart(db: Db, span: Span, { after, limit }: Page<Payment>): Promise<Payment[]> {
  let query = paymentsApart(db, { ...span, from: after?.createdAt ?? span.from }).selectAll('checkout_payments')
  if (after) query = query.where(behindPayment(after))
  const rows = await query
    .orderBy('checkout_payments.created_at')
    .orderBy('checkout_payments.block_hash')
    .limit(limit)
    .execute()
  return rows.map(toPayment)
}

/** The number and the sum of the payments that `listApart` lists. */
export async function sumApart(db: Db, engine: StoreEngine, span: Span): Promise<{ count: number; raw: bigint }> {
  const row = await paymentsApart(db, span)
    .select(({ fn }) => fn.countAll().as('count'))
    .select(sumRaw(engine, 'checkout_payments.amount_raw').as('raw'))
    .executeTakeFirstOrThrow()
  return { count: Number(row.count), raw: BigInt(row.raw) }
}

/**
 * Payments that an earlier time lists as apart and that became part of a sale in this one. The sale counts everything paid, so a report
 * that adds up times must subtract them.
 */
const nowCounted = (db: Db, { owner, from, to }: Span) =>
  db
    .selectFrom('checkouts')
    .where('checkouts.status', '=', 'complete')
    .where('checkouts.paid_at', '>=', from)
    .where('checkouts.paid_at', '<', to)
    .innerJoin('checkout_payments', 'checkout_payments.checkout_id', 'checkouts.id')
    .where('checkout_payments.owner', '=', owner)
    .where('checkout_payments.kind', '<>', 'unmatched')
    .where('checkout_payments.created_at', '<', from)

/** The same as negative payments at the moment of their sale; oldest sale first, page by page. */
export async function listNowCounted(db: Db, span: Span, { after, limit }: Page<Payment>): Promise<Payment[]> {
  let query = nowCounted(db, span).selectAll('checkout_payments')
  if (after)
    query = query.where(
      behind(['checkouts.paid_at', 'asc', after.createdAt], ['checkout_payments.block_hash', 'asc', after.blockHash]),
    )
  const rows = await query
    .select('checkouts.paid_at')
    .orderBy('checkouts.paid_at')
    .orderBy('checkout_payments.block_hash')
    .limit(limit)
    .execute()
  return rows.map((row) => {
    const payment = toPayment(row)
    return { ...payment, createdAt: row.paid_at!, amountRaw: -payment.amountRaw as Payment['amountRaw'] }
  })
}

const toRevenue = (row: { currency: string; count: number | string | bigint; raw: string; e8: string }): Revenue => ({
  currency: row.currency,
  count: Number(row.count),
  raw: BigInt(row.raw),
  e8: BigInt(row.e8),
})

/** Sales of a time by currency: whole days come from the stored sums that reports use, the rest is counted. */
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
  return addRevenue(parts)
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
  const again = (query: ReturnType<typeof paidAgain>) =>
    query
      .where('checkouts.owner', '=', owner)
      .select(['currency', sumRaw(engine, 'checkout_payments.amount_raw').as('raw')])
      .groupBy('currency')
      .execute()
  const moved = (sign: bigint, sums: { currency: string; raw: string }[]): Revenue[] =>
    sums.map(({ currency, raw }) => ({ currency, count: 0, raw: sign * BigInt(raw), e8: 0n }))
  const ofSales = paidAgain(db).where('checkouts.paid_at', '>=', from).where('checkouts.paid_at', '<', to)
  return [
    ...rows.map(toRevenue),
    ...moved(-1n, await again(ofSales)),
    ...moved(1n, await again(paidAgainIn(db, { owner, from, to }))),
  ]
}

/**
 * Refunds of a time by currency: of sales complete by its end, or of everything else. A refund made before its checkout was complete
 * counts at completion; a refund that failed later is subtracted.
 */
export async function sumRefundsOf(
  db: Db,
  engine: StoreEngine,
  span: Span,
  of: 'sales' | 'others',
): Promise<Revenue[]> {
  const { owner, from, to } = span
  const at = sql<number>`case when checkouts.paid_at > checkout_refunds.created_at then checkouts.paid_at
    else checkout_refunds.created_at end`
  const isSold = sql<boolean>`(checkouts.status = 'complete' and checkouts.paid_at < ${to})`
  const counted = of === 'sales' ? at : sql<number>`checkout_refunds.created_at`
  const those = db
    .selectFrom('checkout_refunds')
    .innerJoin('checkouts', 'checkouts.id', 'checkout_refunds.checkout_id')
    .where('checkout_refunds.owner', '=', owner)
    .where('checkout_refunds.created_at', '<', to)
    .where(of === 'sales' ? isSold : sql<boolean>`not ${isSold}`)
    .select(({ fn }) => ['checkout_refunds.currency', fn.countAll().as('count')])
    .select(sumsOf(engine))
    .groupBy('checkout_refunds.currency')
  const gone = await those
    .where(counted, '>=', from)
    .where(({ eb }) => stood(to)(eb as never))
    .execute()
  const again = await those
    .where(counted, '<', from)
    .where('checkout_refunds.status', '=', 'failed')
    .where('checkout_refunds.ended_at', '>=', from)
    .where('checkout_refunds.ended_at', '<', to)
    .execute()
  const back = again
    .map(toRevenue)
    .map(({ currency, count, raw, e8 }) => ({ currency, count: -count, raw: -raw, e8: -e8 }))
  return addRevenue([...gone.map(toRevenue), ...back])
}
