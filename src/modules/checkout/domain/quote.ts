import { AppError } from '../../../kernel/errors.ts'
import type { Raw } from '../../../kernel/money.ts'
import type { Rate } from '../../../kernel/ports.ts'
import { type CheckoutContext, inQuietTx } from '../context.ts'
import { badField, priceUnavailable } from '../errors.ts'
import { insertQuote, listLatestQuotes, listQuotes } from '../reservations-store.ts'
import { type Checkout, NO_PLAN, OPEN_STATUSES } from '../record.ts'
import { findCheckout, lockCheckout } from '../store.ts'
import { parseFiat, toNanoAt } from './fiat.ts'
import { moveCheckout } from './move.ts'
import { reserveNear } from './reserve.ts'

const QUOTE_MILLISECONDS = 15 * 60_000
const RATE_AGE_MAX = 10 * 60_000

/** The current rate, or a 503: no payer may be asked to pay by an outdated price. */
export async function rateNow({ ports, clock }: CheckoutContext, currency: string): Promise<Rate> {
  let rate: Rate
  try {
    rate = await ports.prices.rate(currency)
  } catch (error) {
    throw priceUnavailable(error)
  }
  if (clock.now() - rate.at > RATE_AGE_MAX || toNanoAt(1n, rate.rate) === undefined) throw priceUnavailable()
  return rate
}

/** The current rate where the conversion can wait: undefined for nano, which needs none, and while no source answers. */
export async function rateIfKnown(ctx: CheckoutContext, currency: string): Promise<Rate | undefined> {
  if (currency === 'NANO') return undefined
  try {
    return await rateNow(ctx, currency)
  } catch (error) {
    if (error instanceof AppError && error.code === 'no_price') return undefined
    throw error
  }
}

/**
 * Converts the prices of a checkout into amounts of nano, one quote for each plan; the caller is making the checkout or holds it. Amounts
 * asked for earlier stay reserved and still count.
 */
export async function quotePrices(
  ctx: CheckoutContext,
  checkout: Checkout,
  { rate, seq }: { rate: Rate; seq: number },
): Promise<Pick<Checkout, 'amountRaw' | 'plans'>> {
  const quoteOne = async (plan: number, text: string): Promise<Raw> => {
    const price = toNanoAt(parseFiat(text)!, rate.rate)
    if (price === undefined)
      throw badField(plan === NO_PLAN ? 'amount' : 'plans', 'The price is more than the total supply of nano.')
    const amountRaw =
      checkout.mode === 'unique_amount' ? await reserveNear(ctx, checkout, { price, plan, quote: seq }) : price
    await writeQuote(ctx, checkout, { plan, seq, rate, amountRaw })
    return amountRaw
  }
  const plans = []
  for (const [at, plan] of checkout.plans.entries()) {
    plans.push({ ...plan, amountRaw: await quoteOne(at, plan.value) })
  }
  const amountRaw = checkout.price === null ? plans[0]?.amountRaw : await quoteOne(NO_PLAN, checkout.price)
  return { amountRaw, plans }
}

/** Reserves an amount for a price that a payer typed. */
export async function quoteChosen(
  ctx: CheckoutContext,
  checkout: Checkout,
  { rate, ...who }: { rate: Rate; chosen: string; chosenBy: string },
): Promise<{ amountRaw: Raw; quotedUntil: number }> {
  const price = toNanoAt(parseFiat(who.chosen)!, rate.rate)
  if (price === undefined)
    throw badField('amount', 'The price is more than the total supply of nano.', 'invalid_amount')
  const seq = ((await listQuotes(ctx.db, checkout.id))[0]?.seq ?? 0) + 1
  const amountRaw = await reserveNear(ctx, checkout, { price, plan: NO_PLAN, quote: seq, ...who })
  const quotedUntil = await writeQuote(ctx, checkout, { plan: NO_PLAN, seq, rate, amountRaw })
  return { amountRaw, quotedUntil }
}

/** Stores a quote and returns how long it is valid. */
async function writeQuote(
  { db, clock }: CheckoutContext,
  { id: checkoutId }: Checkout,
  { plan, seq, rate, amountRaw }: { plan: number; seq: number; rate: Rate; amountRaw: Raw },
): Promise<number> {
  const createdAt = clock.now()
  const expiresAt = createdAt + QUOTE_MILLISECONDS
  const { source, at: rateAt } = rate
  await insertQuote(db, { checkoutId, plan, seq, rate: rate.rate, source, rateAt, amountRaw, createdAt, expiresAt })
  return expiresAt
}

/** The checkout with its live quote, or with a new one. A reload and a second tab show the same quote. */
export async function refreshQuote(ctx: CheckoutContext, checkout: Checkout): Promise<Checkout> {
  const isPriced = checkout.price !== null || checkout.plans.length > 0
  if (checkout.currency === 'NANO' || !isPriced || !isOpen(checkout) || checkout.expiresAt <= ctx.clock.now())
    return checkout
  // Another tab may have made the quote since this checkout was read, so read it again: amount and quote are written together.
  if (await hasLiveQuote(ctx, checkout)) return (await findCheckout(ctx.db, checkout.id))!
  const rate = await rateNow(ctx, checkout.currency)
  return inQuietTx(ctx, async (tx) => {
    const held = await lockCheckout(tx.db, checkout.id)
    if (!held || !isOpen(held)) return held ?? checkout
    // Another tab may have made a quote while we fetched the rate; everyone sees the first one.
    const [latest] = await listLatestQuotes(tx.db, held.id)
    if (latest && latest.expiresAt > tx.clock.now()) return (await findCheckout(tx.db, held.id))!
    const quoted = await quotePrices(tx, held, { rate, seq: (latest?.seq ?? 0) + 1 })
    return moveCheckout(tx, held, { ...quoted, reason: 'quoted' })
  })
}

async function hasLiveQuote({ db, clock }: CheckoutContext, { id }: Checkout): Promise<boolean> {
  const [latest] = await listLatestQuotes(db, id)
  return latest !== undefined && latest.expiresAt > clock.now()
}

const isOpen = ({ status }: Checkout) => OPEN_STATUSES.some((open) => open === status)
