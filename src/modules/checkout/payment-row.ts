import { dateAt, wallClockOf } from '../../kernel/calendar.ts'
import type { Db } from '../../kernel/db.ts'
import type { PaymentRow, PaymentStatus } from '../../web/dashboard/payment-list.tsx'
import { showMoney } from '../../web/formats.ts'
import { type Buyer, listBuyers } from './buyers/store.ts'
import { formatFiat } from './domain/fiat.ts'
import { type Checkout, isAllRefunded, isFromLink, isFromPos } from './record.ts'

/* Lists are in English, with times in the shop's time zone and amounts in the currency of the price. */

const LOCALE = 'en'

interface Here {
  timeZone: string
  now: number
}

/** Nano as people read it: not more than six decimals. */
export function showNanoShort(raw: bigint): string {
  const millionths = raw / 10n ** 24n
  const decimals = (millionths % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '')
  return `${(millionths / 1_000_000n).toLocaleString(LOCALE)}${decimals === '' ? '' : `.${decimals}`} nano`
}

/** An amount in a currency, or in nano. */
export const showSum = (currency: string, { raw, e8 }: { raw: bigint; e8: bigint }): string =>
  currency === 'NANO' ? showNanoShort(raw) : showMoney(LOCALE, formatFiat(e8), currency)

/** A day as people write it, with the year only when it is not the current one. */
export function showDay(date: string, today: string): string {
  const isThisYear = date.slice(0, 4) === today.slice(0, 4)
  const style = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const
  const day = new Intl.DateTimeFormat('en-GB', { ...style, ...(!isThisYear && { year: 'numeric' }) }).format(
    Date.parse(date),
  )
  const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)
  return date === today ? `Today, ${day}` : date === yesterday ? `Yesterday, ${day}` : day
}

function statusOf(checkout: Checkout): PaymentStatus {
  const { status, additional, refundedRaw } = checkout
  if (isAllRefunded(checkout)) return 'Refunded'
  if (refundedRaw > 0n) return 'Partly refunded'
  if (status === 'complete') return additional === 'overpaid' ? 'Overpaid' : 'Paid'
  if (additional === 'paid_late') return 'Paid late'
  if (status === 'pending') return 'Waiting'
  if (status === 'detected') return 'Arriving'
  if (status === 'partial') return 'Partly paid'
  return status === 'expired' ? 'Expired' : 'Cancelled'
}

/** What was sold and to whom; at a till, the items that were rung up and the name of the till. */
function whatOf(checkout: Checkout, known: Buyer | undefined): Pick<PaymentRow, 'what' | 'who'> {
  const { title, description, invoice, plan, plans, metadata } = checkout
  const buyer = known?.name ?? invoice?.buyer?.name ?? known?.email
  if (isFromPos(checkout)) {
    const lines = (description ?? '').split('\n').filter((line) => line !== '')
    const what = lines.map((line) => line.replace(/^1 × /, '')).join(', ')
    return { what: what === '' ? 'Sale' : what, who: title ?? 'Till' }
  }
  const chosen = plan === null ? undefined : plans[plan]?.title
  const what = [title ?? (typeof metadata.order === 'string' ? `Order ${metadata.order}` : 'Untitled'), chosen]
  return {
    what: what.filter((part) => part !== undefined).join(', '),
    who: buyer ?? (isFromLink(checkout) ? 'By link' : 'No name given'),
  }
}

function amountOf(checkout: Checkout): Pick<PaymentRow, 'amount' | 'of' | 'also'> {
  const { currency, priceE8, price, chosen, amountRaw, paidRaw, status } = checkout
  const priced = price ?? chosen
  if (currency === 'NANO') {
    if (paidRaw > 0n && amountRaw !== undefined && paidRaw < amountRaw) {
      return { amount: showNanoShort(paidRaw), of: showNanoShort(amountRaw) }
    }
    const raw = paidRaw > 0n ? paidRaw : amountRaw
    return { amount: raw === undefined ? 'Open amount' : showNanoShort(raw) }
  }
  const also = paidRaw > 0n ? showNanoShort(paidRaw) : amountRaw === undefined ? undefined : showNanoShort(amountRaw)
  if (priced === null) return { amount: 'Open amount', also }
  const whole = showMoney(LOCALE, priced, currency)
  if (status !== 'partial' || priceE8 === undefined || amountRaw === undefined || amountRaw === 0n) {
    return { amount: whole, also }
  }
  // Rounded down, so that a part never looks like the whole.
  const paid = (priceE8 * paidRaw) / amountRaw
  return { amount: showMoney(LOCALE, formatFiat((paid / 1_000_000n) * 1_000_000n), currency), of: whole, also }
}

/** The rows of a list, with the names of the buyers. */
export async function toPaymentRows(db: Db, checkouts: readonly Checkout[], here: Here): Promise<PaymentRow[]> {
  const buyers = await listBuyers(
    db,
    checkouts.map(({ id }) => id),
  )
  return checkouts.map((checkout) => toPaymentRow(checkout, buyers.get(checkout.id), here))
}

function toPaymentRow(checkout: Checkout, buyer: Buyer | undefined, { timeZone, now }: Here): PaymentRow {
  const { createdAt: at } = checkout
  const today = dateAt(timeZone, now)
  const [date = '', clock = ''] = wallClockOf(timeZone)(at).split(' ')
  const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone }).format(at)
  return {
    href: `/dashboard/checkouts/${checkout.id}`,
    ...whatOf(checkout, buyer),
    ...amountOf(checkout),
    status: statusOf(checkout),
    clock,
    when: date === today ? clock : short,
    at: new Date(at).toISOString(),
    day: showDay(date, today),
  }
}
