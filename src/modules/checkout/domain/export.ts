import { quote, safeText, toCsvHeader } from '../../../kernel/csv.ts'
import { formatNano } from '../../../kernel/money.ts'
import type { Names } from '../../../kernel/ports.ts'
import type { Payment } from '../payments-store.ts'
import { type Checkout, markerOf } from '../record.ts'
import { type Refund, listExportedRefunds } from '../refunds/store.ts'
import { type ExportedPayment, listCheckoutsById, listExported } from '../report-store.ts'
import type { CheckoutContext } from '../context.ts'
import { formatFiat } from './fiat.ts'

const ROWS_MAX = 50_000
const PAGE = 500
/** How many characters are written at once. */
const CHUNK = 65_536

/** Every payment and every refund as CSV, newest first, read page by page so that memory does not grow with the tables. */
export async function* exportPayments(ctx: CheckoutContext, owner: string | undefined): AsyncGenerator<string> {
  yield CSV_HEADER
  const [payments, refunds] = [paymentLines(ctx, owner), refundLines(ctx, owner)]
  let [payment, refund] = [await payments.next(), await refunds.next()]
  let text = ''
  while (payment.done !== true || refund.done !== true) {
    if (refund.done === true || (payment.done !== true && payment.value.at > refund.value.at)) {
      if (payment.done !== true) text += payment.value.line
      payment = await payments.next()
    } else {
      text += refund.value.line
      refund = await refunds.next()
    }
    if (text.length < CHUNK) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

interface Line {
  at: number
  line: string
}

async function* paymentLines(
  { db, names }: CheckoutContext,
  owner: string | undefined,
): AsyncGenerator<Line, undefined> {
  let after: Payment | undefined
  for (let rows = 0; rows < ROWS_MAX; rows += PAGE) {
    const page = await listExported(db, { owner, after, limit: PAGE })
    for (const row of page) yield { at: row.payment.createdAt, line: toCsvLine(row, names) }
    if (page.length < PAGE) return undefined
    after = page.at(-1)!.payment
  }
  return undefined
}

async function* refundLines(
  { db, names }: CheckoutContext,
  owner: string | undefined,
): AsyncGenerator<Line, undefined> {
  let after: Refund | undefined
  for (let rows = 0; rows < ROWS_MAX; rows += PAGE) {
    const page = await listExportedRefunds(db, { owner, after, limit: PAGE })
    const checkouts = await listCheckoutsById(db, [...new Set(page.map(({ checkoutId }) => checkoutId))])
    for (const refund of page) {
      const checkout = checkouts.get(refund.checkoutId)!
      yield { at: refund.createdAt, line: toRefundLine({ refund, checkout }, names) }
    }
    if (page.length < PAGE) return undefined
    after = page.at(-1)
  }
  return undefined
}

const COLUMNS = [
  'date_utc',
  'checkout_id',
  'title',
  'status',
  'additional_status',
  'mode',
  'currency',
  'price',
  'fiat_amount',
  'rate',
  'rate_source',
  'amount_nano',
  'amount_raw',
  'payer',
  'payer_username',
  'block_hash',
  'address',
  'created_unix',
  'paid_unix',
  'metadata_json',
  'type',
  'refund_id',
]

export const CSV_HEADER = toCsvHeader(COLUMNS)

/** The price of the plan that was bought, the merchant's price, or the one that the payer chose. */
const priceOf = ({ plans, price, chosen }: Checkout, plan: number | null) =>
  (plan === null ? undefined : plans[plan]?.value) ?? price ?? chosen ?? ''

/** One payment as a line of RFC 4180. */
function toCsvLine({ payment, checkout }: ExportedPayment, names: Names): string {
  const price = checkout && priceOf(checkout, payment.plan)
  return toLine([
    new Date(payment.at).toISOString(),
    checkout?.id ?? '',
    safeText(checkout?.title ?? ''),
    checkout?.status ?? '',
    checkout ? markerOf(checkout) : '',
    checkout?.mode ?? '',
    checkout?.currency ?? '',
    price ?? '',
    checkout?.currency === 'NANO' ? '' : (price ?? ''),
    payment.rate ?? '',
    safeText(payment.rateSource ?? ''),
    formatNano(payment.amountRaw),
    payment.amountRaw.toString(),
    payment.payer,
    safeText(names.usernameOf(payment.payer) ?? ''),
    payment.blockHash,
    payment.address,
    checkout ? String(Math.floor(checkout.createdAt / 1000)) : '',
    String(Math.floor(payment.at / 1000)),
    checkout ? safeText(JSON.stringify(checkout.metadata)) : '',
    checkout ? 'payment' : 'unmatched',
    '',
  ])
}

const toLine = (cells: readonly string[]) => `${cells.map(quote).join(',')}\r\n`

/** Refunds have negative amounts, so that the column adds up to what the merchant keeps. */
function toRefundLine({ refund, checkout }: { refund: Refund; checkout: Checkout }, names: Names): string {
  const at = refund.sentAt ?? refund.createdAt
  const { currency, address, amountRaw, fiatE8 } = refund
  return toLine([
    new Date(at).toISOString(),
    checkout.id,
    safeText(checkout.title ?? ''),
    checkout.status,
    markerOf(checkout),
    checkout.mode,
    currency,
    '',
    fiatE8 === undefined ? '' : formatFiat(-fiatE8),
    refund.rate ?? '',
    safeText(refund.rateSource ?? ''),
    formatNano(-amountRaw),
    (-amountRaw).toString(),
    address ?? '',
    safeText((address === null ? undefined : names.usernameOf(address)) ?? ''),
    refund.hash ?? '',
    refund.from,
    String(Math.floor(checkout.createdAt / 1000)),
    String(Math.floor(at / 1000)),
    safeText(JSON.stringify(checkout.metadata)),
    'refund',
    refund.id,
  ])
}
