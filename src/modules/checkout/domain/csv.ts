import { quote, safeText, toCsvHeader } from '../../../kernel/csv.ts'
import { formatNano } from '../../../kernel/money.ts'
import type { Names } from '../../../kernel/ports.ts'
import type { Refund } from '../refunds/store.ts'
import type { ExportedPayment } from '../report-store.ts'
import { type Checkout, markerOf } from '../record.ts'
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
const priceOf = ({ plans, price, chosen }: Checkout, plan: number | null) =>
  (plan === null ? undefined : plans[plan]?.value) ?? price ?? chosen ?? ''

/** One payment as a line of RFC 4180. */
export function toCsvLine({ payment, checkout }: ExportedPayment, names: Names): string {
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

/** What went back, with amounts below zero: the column adds up to what is left. */
export function toRefundLine({ refund, checkout }: { refund: Refund; checkout: Checkout }, names: Names): string {
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
