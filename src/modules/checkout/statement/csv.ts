import { wallClockOf } from '../../../kernel/calendar.ts'
import { quote, safeText, toCsvHeader } from '../../../kernel/csv.ts'
import { formatNano } from '../../../kernel/money.ts'
import { formatFiat } from '../domain/fiat.ts'
import type { Payment } from '../payments-store.ts'
import type { Refund } from '../refunds/store.ts'
import type { CheckoutRoom } from '../room.ts'
import type { Checkout } from '../record.ts'
import { type Month, cameBack, referenceOf, withCheckouts } from './statement.ts'
import { type Span, listApart, listFailedOf, listNowCounted, listPaidAgain, listRefundsOf, listSales } from './store.ts'

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

/** The lines of a statement: sales, refunds below zero, and what has sold nothing so far; page by page, however many there are. */
export async function* exportStatement(ctx: CheckoutRoom, owner: string, month: Month): AsyncGenerator<string> {
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
      // Nano has none, and neither have we.
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
