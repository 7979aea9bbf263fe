import { quote, safeText, toCsvHeader } from '../../../kernel/csv.ts'
import { formatNano } from '../../../kernel/money.ts'
import type { Names } from '../../../kernel/ports.ts'
import type { Refund } from '../refunds/store.ts'
import type { ExportedPayment } from '../report-store.ts'
import type { Checkout } from '../record.ts'
import { formatFiat } from './fiat.ts'

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

/** Of the plan that was bought, of the merchant, or what the payer chose. */
const priceOf = ({ plans, price, chosen }: ExportedPayment['checkout'], plan: number | null) =>
  (plan === null ? undefined : plans[plan]?.value) ?? price ?? chosen ?? ''

/** One payment as a line of RFC 4180. */
export function toCsvLine({ payment, checkout }: ExportedPayment, names: Names): string {
  const paidAt = payment.at
  const fiat = checkout.currency !== 'NANO'
  const cells = [
    new Date(paidAt).toISOString(),
    checkout.id,
    safeText(checkout.title ?? ''),
    checkout.status,
    checkout.additional,
    checkout.mode,
    checkout.currency,
    priceOf(checkout, payment.plan),
    fiat ? priceOf(checkout, payment.plan) : '',
    payment.rate ?? '',
    safeText(payment.rateSource ?? ''),
    formatNano(payment.amountRaw),
    payment.amountRaw.toString(),
    payment.payer,
    safeText(names.usernameOf(payment.payer) ?? ''),
    payment.blockHash,
    payment.address,
    String(Math.floor(checkout.createdAt / 1000)),
    String(Math.floor(paidAt / 1000)),
    safeText(JSON.stringify(checkout.metadata)),
    'payment',
    '',
  ]
  return toLine(cells)
}

const toLine = (cells: readonly string[]) => `${cells.map(quote).join(',')}\r\n`

/** What went back, with amounts below zero: the column adds up to what is left. */
export function toRefundLine({ refund, checkout }: { refund: Refund; checkout: Checkout }, names: Names): string {
  const at = refund.sentAt ?? refund.createdAt
  const { currency, address, amountRaw, fiatE8 } = refund
  return toLine([
    new Date(at).toISOString(),
    checkout.id,
    safeText(checkout.title ?? ''),
    checkout.status,
    checkout.additional,
    checkout.mode,
    currency,
    '',
    fiatE8 === undefined ? '' : `-${formatFiat(fiatE8)}`,
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
