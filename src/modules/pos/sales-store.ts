import { type RecordIn, type RowIn, big, columns, plain } from '../../kernel/resource/columns.ts'
import { toRaw } from '../../kernel/money.ts'
import { markerOf } from '../checkout/index.ts'
import type { Db } from '../../kernel/db.ts'
import { type StoreEngine, sumRaw } from '../../kernel/dialect.ts'

/** A checkout that a cashier has made. */
const SALE = columns({
  checkoutId: plain<string>(),
  posId: plain<string>(),
  /** The page's id of one tap, so that a tap sent twice counts once. */
  saleKey: plain<string>(),
  /** The price with the tip, and the tip in it: in raw, or in 10^-8 of the currency. */
  totalUnits: big(),
  tipUnits: big(),
  createdAt: plain<number>(),
})

export type PosSale = RecordIn<typeof SALE>
export type PosSalesTable = RowIn<typeof SALE>
const toSale = SALE.toRecord

export async function insertSale(db: Db, sale: PosSale): Promise<void> {
  await db.insertInto('pos_sales').values(SALE.toRow(sale)).execute()
}

/** The sale that one tap has made already. */
export async function findSaleByKey(db: Db, posId: string, saleKey: string): Promise<PosSale | undefined> {
  const row = await db
    .selectFrom('pos_sales')
    .selectAll()
    .where('pos_id', '=', posId)
    .where('sale_key', '=', saleKey)
    .executeTakeFirst()
  return row && toSale(row)
}

/** A checkout of this point of sale; one of another counts as missing. */
export async function findSale(db: Db, posId: string, checkoutId: string): Promise<PosSale | undefined> {
  const row = await db
    .selectFrom('pos_sales')
    .selectAll()
    .where('pos_id', '=', posId)
    .where('checkout_id', '=', checkoutId)
    .executeTakeFirst()
  return row && toSale(row)
}

interface Span {
  posId: string
  from: number
  to: number
}

export interface ListedSale extends PosSale {
  status: string
  /** The additional status, as it is shown. */
  additional: string
  paidRaw: bigint
  paidAt: number | null
}

/** Newest first. */
export async function listSales(db: Db, { posId, from, to }: Span, limit: number): Promise<ListedSale[]> {
  const rows = await db
    .selectFrom('pos_sales')
    .innerJoin('checkouts', 'checkouts.id', 'pos_sales.checkout_id')
    .selectAll('pos_sales')
    .select([
      'checkouts.status',
      'checkouts.additional_status',
      'checkouts.paid_raw',
      'checkouts.refunded_raw',
      'checkouts.paid_at',
    ])
    .where('pos_sales.pos_id', '=', posId)
    .where('pos_sales.created_at', '>=', from)
    .where('pos_sales.created_at', '<', to)
    .orderBy('pos_sales.created_at', 'desc')
    .orderBy('pos_sales.checkout_id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ status, additional_status: additional, paid_raw, refunded_raw, paid_at: paidAt, ...sale }) => {
    const [paidRaw, refundedRaw] = [toRaw(BigInt(paid_raw)), toRaw(BigInt(refunded_raw))]
    return { ...toSale(sale), status, additional: markerOf({ additional, paidRaw, refundedRaw }), paidRaw, paidAt }
  })
}

export interface SalesTotals {
  count: number
  totalUnits: bigint
  tipUnits: bigint
  paidRaw: bigint
  refundedRaw: bigint
  /** In the same units as the totals. */
  refundedUnits: bigint
}

/** The sums of the paid sales in a time, however many there are. */
export async function sumSales(db: Db, engine: StoreEngine, { posId, from, to }: Span): Promise<SalesTotals> {
  const back = await db
    .selectFrom('pos_sales')
    .innerJoin('checkouts', 'checkouts.id', 'pos_sales.checkout_id')
    .innerJoin('checkout_refunds', 'checkout_refunds.checkout_id', 'checkouts.id')
    .select([
      sumRaw(engine, 'checkout_refunds.amount_raw').as('raw'),
      sumRaw(engine, 'checkout_refunds.fiat_e8').as('e8'),
    ])
    .where('pos_sales.pos_id', '=', posId)
    .where('pos_sales.created_at', '>=', from)
    .where('pos_sales.created_at', '<', to)
    .where('checkouts.status', '=', 'complete')
    .where('checkout_refunds.status', '<>', 'failed')
    .select(({ fn }) => fn.max('checkout_refunds.currency').as('currency'))
    .executeTakeFirst()
  const row = await db
    .selectFrom('pos_sales')
    .innerJoin('checkouts', 'checkouts.id', 'pos_sales.checkout_id')
    .select(({ fn }) => [
      fn.countAll().as('count'),
      sumRaw(engine, 'pos_sales.total_units').as('total'),
      sumRaw(engine, 'pos_sales.tip_units').as('tip'),
      sumRaw(engine, 'checkouts.paid_raw').as('paid'),
      sumRaw(engine, 'checkouts.refunded_raw').as('refunded'),
    ])
    .where('pos_sales.pos_id', '=', posId)
    .where('pos_sales.created_at', '>=', from)
    .where('pos_sales.created_at', '<', to)
    .where('checkouts.status', '=', 'complete')
    .executeTakeFirst()
  return {
    count: Number(row!.count),
    totalUnits: BigInt(row!.total),
    tipUnits: BigInt(row!.tip),
    paidRaw: BigInt(row!.paid),
    refundedRaw: BigInt(row!.refunded),
    refundedUnits: BigInt(back!.currency === 'NANO' ? back!.raw : back!.e8),
  }
}
