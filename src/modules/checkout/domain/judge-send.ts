import { RAW_MAX, toRaw } from '../../../kernel/money.ts'
import type { Rate } from '../../../kernel/ports.ts'
import { type Quote, type Reservation } from '../reservations-store.ts'
import { type Checkout, NO_PLAN, SERVICE } from '../record.ts'
import { CLOCK_SLACK, type IncomingSend, timeOf } from './baseline.ts'
import { type Decision, type Due, decide } from './decide.ts'
import { parseFiat, toNanoAt, worthAt } from './fiat.ts'

/** After its quote has ended, an amount is still accepted when it is worth at least this much of the price. */
const WORTH_PERCENT = 98n

interface Valuation {
  send: IncomingSend
  /** Newest first. */
  quotes: readonly Quote[]
  rate: Rate | undefined
}

export function decideFor(checkout: Checkout, reservation: Reservation | undefined, valuation: Valuation): Decision {
  const { send } = valuation
  const { status, additional, expiresAt } = checkout
  // Refunded money no longer counts: a payer who got money back must pay the whole price, not only the rest of it.
  const paidRaw = toRaw(checkout.paidRaw - checkout.refundedRaw)
  if (reservation?.superseded) return { kind: 'unmatched', status, additional, event: undefined, plan: undefined }
  const sums = checkout.mode !== 'unique_amount'
  const dues = sums ? duesOf(checkout, valuation) : []
  const worthIt = checkout.currency === 'NANO' || sums || isWorthIt(checkout, reservation, valuation)
  const takesLate = checkout.owner === SERVICE
  const standing = { sums, status, additional, paidRaw, dues, expiresAt, takesLate }
  return decide(standing, { amountRaw: send.amountRaw, at: timeOf(send), worthIt })
}

/** The quote under which an amount was paid: the one of its reservation, otherwise the newest. */
export function quoteOf(reservation: Reservation | undefined, { send, quotes }: Valuation): Quote | undefined {
  if (reservation && reservation.quote !== null) {
    return quotes.find(({ seq, plan }) => seq === reservation.quote && plan === reservation.plan)
  }
  return quotes.find(({ createdAt }) => createdAt <= timeOf(send) + CLOCK_SLACK)
}

/** Whether the payment came within its quote, or was still worth the price when it came. */
function isWorthIt(checkout: Checkout, reservation: Reservation | undefined, valuation: Valuation): boolean {
  const { send, rate } = valuation
  const quote = quoteOf(reservation, valuation)
  if (quote && timeOf(send) <= quote.expiresAt) return true
  const priceE8 = reservedPriceE8(checkout, reservation)
  const worth = rate && worthAt(send.amountRaw, rate.rate)
  return priceE8 !== undefined && worth !== undefined && worth * 100n >= priceE8 * WORTH_PERCENT
}

function reservedPriceE8(checkout: Checkout, reservation: Reservation | undefined): bigint | undefined {
  if (!reservation) return checkout.priceE8
  if (reservation.chosen !== null) return parseFiat(reservation.chosen)
  return reservation.plan >= 0 ? planPriceE8(checkout, reservation.plan) : checkout.priceE8
}

export const planPriceE8 = ({ plans }: Checkout, at: number) => {
  const value = plans[at]?.value
  return value === undefined ? undefined : parseFiat(value)
}

/** The sums that complete a checkout, the cheapest plan first. A fiat price without a live quote is converted at today's rate. */
function duesOf(checkout: Checkout, valuation: Valuation): Due[] {
  const { send, rate, quotes } = valuation
  const plans = checkout.plans.map(({ amountRaw, value }, at) => ({ plan: at, amountRaw, value }))
  const prices =
    plans.length > 0 ? plans : [{ plan: undefined, amountRaw: checkout.amountRaw, value: checkout.price ?? '' }]
  const dues = prices.flatMap(({ plan, amountRaw, value }): Due[] => {
    // A payer who decides the amount owes nothing.
    if (value === '') return []
    if (checkout.currency === 'NANO') return [{ plan, enoughRaw: amountRaw!, fullRaw: amountRaw! }]
    const quote = quotes.find((one) => one.plan === (plan ?? NO_PLAN) && one.createdAt <= timeOf(send) + CLOCK_SLACK)
    if (quote && timeOf(send) <= quote.expiresAt) {
      return [{ plan, enoughRaw: quote.amountRaw, fullRaw: quote.amountRaw }]
    }
    const e8 = parseFiat(value)
    const today = rate && e8 !== undefined ? toNanoAt(e8, rate.rate) : undefined
    // Without a rate it is unknown what is enough: the highest quote is the safe choice, and without quotes no amount is.
    const highest = quotes.reduce((most, one) => (one.amountRaw > most ? one.amountRaw : most), 0n)
    const full = today ?? (highest > 0n ? toRaw(highest) : RAW_MAX)
    return [{ plan, enoughRaw: today === undefined ? full : (full * WORTH_PERCENT) / 100n, fullRaw: full }]
  })
  return dues.sort((a, b) => (a.enoughRaw < b.enoughRaw ? -1 : 1))
}
