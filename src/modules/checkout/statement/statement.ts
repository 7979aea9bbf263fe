import { dateAt, isTimeZone, monthAfter, monthOf, wallClockOf } from '../../../kernel/calendar.ts'
import { quote, safeText, toCsvHeader } from '../../../kernel/csv.ts'
import { formatNano } from '../../../kernel/money.ts'
import { type Json, textOf } from '../../../kernel/shape.ts'
import { formatFiat } from '../domain/fiat.ts'
import { badField } from '../errors.ts'
import type { Payment } from '../payments-store.ts'
import type { Checkout } from '../record.ts'
import type { Refund } from '../refunds/store.ts'
import { listCheckoutsById } from '../report-store.ts'
import type { CheckoutContext } from '../context.ts'
import type { Revenue } from '../sums-store.ts'
import {
  type Span,
  listApart,
  listFailedOf,
  listNowCounted,
  listPaidAgain,
  listRefundsOf,
  listSales,
  sumApart,
  sumRefundsOf,
  sumSales,
} from './store.ts'

/** Maximum lines of each kind on the page; the CSV has all of them. */
export const LINES_MAX = 1_000
/** A month from 2000 to 2099; nano-gateway 0.1 is from 2026, so an earlier year is a typing error. */
const MONTH = /^20[0-9]{2}-(?:0[1-9]|1[0-2])$/
const ZONE_MAX = 64
const REFERENCE_MAX = 120
/** The metadata names under which shops usually store their own reference. */
const REFERENCES = ['reference', 'order_id', 'order', 'order_number', 'invoice', 'invoice_id', 'ref', 'cart_id', 'sku']

interface Month {
  /** For example 2026-10. */
  month: string
  zone: string
  from: number
  to: number
  /** Whether the month is over, so that no further payment falls into it. */
  isOver: boolean
}

/** Reads month and time zone of the request; the default is the current month in the shop's time zone. */
export function readMonth(asked: Readonly<Record<string, unknown>>, now: number, shopZone: string): Month {
  const { month: wanted = '', time_zone: given = '' } = asked
  const zone = given === '' ? shopZone : given
  if (typeof zone !== 'string' || zone.length > ZONE_MAX || !isTimeZone(zone)) {
    throw badField('time_zone', 'time_zone must be a time zone such as UTC or Europe/Berlin.')
  }
  const month = wanted === '' ? dateAt(zone, now).slice(0, 7) : wanted
  if (typeof month !== 'string' || !MONTH.test(month)) throw badField('month', 'month must be a month such as 2026-10.')
  const { from, to } = monthOf(zone, month)
  return { month, zone, from, to, isOver: to <= now }
}

/** The totals of one currency. */
export interface Total {
  currency: string
  sales: number
  refunds: number
  grossRaw: bigint
  refundedRaw: bigint
  grossE8: bigint
  refundedE8: bigint
}

export interface Statement extends Month {
  before: string
  after: string
  sales: Checkout[]
  /** Further payments for sales that were complete already. */
  again: Payment[]
  refunds: { refund: Refund; checkout: Checkout }[]
  apart: Payment[]
  /** Payments listed as apart in earlier months that became part of a sale in this one, as negative amounts. */
  nowCounted: Payment[]
  totals: Total[]
  /** Payments that have sold nothing so far, and the refunds of those. */
  others: { count: number; raw: bigint; refundedRaw: bigint }
  /** Whether some lines were left out. */
  isCut: boolean
  clock(at: number): string
}

/** A merchant's sales and refunds in a month, from the same sums as the reports. */
export async function readStatement(ctx: CheckoutContext, owner: string, asked: Month): Promise<Statement> {
  const { db, ports } = ctx
  const span: Span = { owner, from: asked.from, to: asked.to }
  const page = { limit: LINES_MAX + 1 }
  const sales = await listSales(db, span, page)
  const refunds = await listRefundsOf(db, span, page)
  const failed = (await listFailedOf(db, span, page)).map(cameBack)
  const again = await listPaidAgain(db, span, page)
  const apart = await listApart(db, span, page)
  const nowCounted = await listNowCounted(db, span, page)
  const gross = await sumSales(db, ports.engine, span)
  const back = await sumRefundsOf(db, ports.engine, span, 'sales')
  const others = await sumRefundsOf(db, ports.engine, span, 'others')
  return {
    ...asked,
    before: monthAfter(asked.month, -1),
    after: monthAfter(asked.month, 1),
    sales: sales.slice(0, LINES_MAX),
    again: again.slice(0, LINES_MAX),
    refunds: await withCheckouts(ctx, [...refunds, ...failed].slice(0, LINES_MAX)),
    apart: apart.slice(0, LINES_MAX),
    nowCounted: nowCounted.slice(0, LINES_MAX),
    totals: toTotals(gross, back),
    others: {
      ...(await sumApart(db, ports.engine, span)),
      refundedRaw: others.reduce((sum, { raw }) => sum + raw, 0n),
    },
    isCut: [sales, again, [...refunds, ...failed], apart, nowCounted].some(({ length }) => length > LINES_MAX),
    clock: wallClockOf(asked.zone),
  }
}

/** A refund of an earlier month that failed in this one, as a line of its own. */
const cameBack = (refund: Refund): Refund => ({
  ...refund,
  createdAt: refund.endedAt!,
  amountRaw: -refund.amountRaw as Refund['amountRaw'],
  fiatE8: refund.fiatE8 === undefined ? undefined : -refund.fiatE8,
})

/** Pairs refunds with their checkouts, which may belong to other months. */
async function withCheckouts({ db }: CheckoutContext, refunds: readonly Refund[]) {
  const checkouts = await listCheckoutsById(db, [...new Set(refunds.map(({ checkoutId }) => checkoutId))])
  return refunds.map((refund) => ({ refund, checkout: checkouts.get(refund.checkoutId)! }))
}

function toTotals(gross: readonly Revenue[], back: readonly Revenue[]): Total[] {
  const none = { count: 0, raw: 0n, e8: 0n }
  const currencies = [...new Set([...gross, ...back].map(({ currency }) => currency))].sort()
  return currencies.map((currency) => {
    const came = gross.find((one) => one.currency === currency) ?? none
    const went = back.find((one) => one.currency === currency) ?? none
    return {
      currency,
      sales: came.count,
      refunds: went.count,
      grossRaw: came.raw,
      refundedRaw: went.raw,
      grossE8: came.e8,
      refundedE8: went.e8,
    }
  })
}

/** The shop's own reference for a sale: the invoice number, a usual metadata field, or the merchant's note. */
export function referenceOf({ metadata, note, invoiceNumber }: Checkout): string {
  const isPlain = (value: Json | undefined) => typeof value === 'string' || typeof value === 'number'
  const name = REFERENCES.find((one) => isPlain(metadata[one]))
  const known = name === undefined ? undefined : textOf(metadata[name])
  return [invoiceNumber ?? undefined, known, note ?? undefined]
    .filter((text) => text !== undefined && text !== '')
    .join(' · ')
    .slice(0, REFERENCE_MAX)
}

const PAGE = 500
const COLUMNS = [
  'date',
  'time_zone',
  'date_utc',
  'type',
  'checkout_id',
  'title',
  'reference',
  'amount_nano',
  'amount_raw',
  'fee_nano',
  'currency',
  'fiat_amount',
  'block_hash',
  'refund_id',
]

type Line = Partial<Record<(typeof COLUMNS)[number], string>>

/** All lines of a statement as CSV: sales, negative refunds, and payments that sold nothing; read page by page. */
export async function* exportStatement(ctx: CheckoutContext, owner: string, month: Month): AsyncGenerator<string> {
  const { db } = ctx
  const span: Span = { owner, from: month.from, to: month.to }
  const clock = wallClockOf(month.zone)
  const write = (at: number, raw: bigint, line: Line) => {
    const cells: Line = {
      ...line,
      date: clock(at),
      time_zone: month.zone,
      date_utc: new Date(at).toISOString(),
      amount_nano: formatNano(raw),
      amount_raw: raw.toString(),
      // Nano has no fees, and the gateway charges none.
      fee_nano: '0',
    }
    return `${COLUMNS.map((name) => quote(cells[name] ?? '')).join(',')}\r\n`
  }
  yield toCsvHeader(COLUMNS)
  yield* pages<Checkout>(
    (page) => listSales(db, span, page),
    (sales) => sales.map((sale) => write(sale.paidAt!, sale.paidRaw, toSaleLine(sale))),
  )
  const toRefundLines = async (refunds: readonly Refund[]) =>
    (await withCheckouts(ctx, refunds)).map(({ refund, checkout }) =>
      write(refund.createdAt, -refund.amountRaw, { ...shared(checkout), ...toRefundLine(refund) }),
    )
  const toPaymentLines = (counted: string) => (payments: readonly Payment[]) =>
    payments.map(({ createdAt, amountRaw, kind, checkoutId, blockHash }) =>
      write(createdAt, amountRaw, {
        type: kind === 'counted' ? counted : kind,
        checkout_id: checkoutId ?? '',
        block_hash: blockHash,
      }),
    )
  yield* pages<Payment>((page) => listPaidAgain(db, span, page), toPaymentLines('further'))
  yield* pages<Refund>((page) => listRefundsOf(db, span, page), toRefundLines)
  yield* pages<Refund>(
    (page) => listFailedOf(db, span, page),
    (refunds) => toRefundLines(refunds.map(cameBack)),
  )
  yield* pages<Payment>((page) => listApart(db, span, page), toPaymentLines('partial'))
  yield* pages<Payment>((page) => listNowCounted(db, span, page), toPaymentLines('partial'))
}

async function* pages<T>(
  list: (page: { after: T | undefined; limit: number }) => Promise<T[]>,
  write: (rows: readonly T[]) => readonly string[] | Promise<readonly string[]>,
): AsyncGenerator<string> {
  let after: T | undefined
  for (;;) {
    const rows = await list({ after, limit: PAGE })
    if (rows.length > 0) yield (await write(rows)).join('')
    if (rows.length < PAGE) return
    after = rows.at(-1)
  }
}

const shared = (checkout: Checkout): Line => ({
  checkout_id: checkout.id,
  title: safeText(checkout.title ?? ''),
  reference: safeText(referenceOf(checkout)),
})

const toSaleLine = (sale: Checkout): Line => ({
  ...shared(sale),
  type: 'sale',
  currency: sale.currency,
  fiat_amount: sale.priceE8 === undefined ? '' : formatFiat(sale.priceE8),
  block_hash: sale.blockHash ?? '',
})

const toRefundLine = ({ id, currency, fiatE8, hash }: Refund): Line => ({
  type: 'refund',
  currency,
  fiat_amount: fiatE8 === undefined ? '' : formatFiat(-fiatE8),
  block_hash: hash ?? '',
  refund_id: id,
})
