import { formatNano } from '../../../kernel/money.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { findWallet } from '../../wallets/index.ts'
import { type EventWithDeliveries, listEventsOf } from '../../webhooks/index.ts'
import type { CheckoutCtx } from '../ctx.ts'
import { checkoutNotFound } from '../errors.ts'
import { type Payment, listPayments, listUnmatched } from '../payments-store.ts'
import { showPayment, showTimeline, toCheck, toOwnView, toRecord } from '../shape.ts'
import { markServed } from '../changes-store.ts'
import { ANONYMOUS, type Checkout, SERVICE, findCheckout, findOwnCheckout } from '../store.ts'
import { type TimelineEntry, listTimeline } from '../timeline-store.ts'
import { toCheckoutId } from '../wire-fields.ts'
import { listLatestQuotes } from '../reservations-store.ts'
import { formatFiat, worthAt } from './fiat.ts'
import { rateNow, refreshQuote } from './quote.ts'

const UNMATCHED_MAX = 100

/** The checkout of an id as links write it, or 404. */
export async function getCheckout({ db }: CheckoutCtx, given: string): Promise<Checkout> {
  const id = toCheckoutId(given)
  const checkout = id === undefined ? undefined : await findCheckout(db, id)
  if (!checkout) throw checkoutNotFound()
  return checkout
}

/** Only what is complete shows the block that made it so. */
async function paymentsShown({ db }: CheckoutCtx, { id, status }: Checkout): Promise<Payment[]> {
  return status === 'complete' ? listPayments(db, id) : []
}

/** A payment for a name may come too late for the name: what was bought, and what became of it. */
async function orderShown({ db, till }: CheckoutCtx, { id, owner }: Checkout): Promise<JsonObject> {
  const order = owner === SERVICE ? await till.sales.describe(db, id) : undefined
  return order ? { order } : {}
}

export async function showCheck(ctx: CheckoutCtx, checkout: Checkout): Promise<JsonObject> {
  const check = toCheck(ctx.till, checkout, await paymentsShown(ctx, checkout))
  return { ...check, ...(await orderShown(ctx, checkout)) }
}

export async function showRecord(ctx: CheckoutCtx, checkout: Checkout): Promise<JsonObject> {
  const record = toRecord(ctx.till, checkout, await paymentsShown(ctx, checkout))
  return { ...record, ...(await orderShown(ctx, checkout)) }
}

/** A payer opens the page: a fiat price becomes an amount, and what is asked for is fixed from now on. */
export async function servePage(ctx: CheckoutCtx, given: string): Promise<Checkout> {
  const checkout = await getCheckout(ctx, given)
  if (checkout.servedAt !== null) return refreshQuote(ctx, checkout)
  await markServed(ctx.db, checkout.id, ctx.clock.now())
  // Read again: its merchant may have changed it until this moment, and cannot from now on.
  return refreshQuote(ctx, await getCheckout(ctx, given))
}

/** What a page shows beside the checkout itself: until when its amounts are good, and what paid it. */
export async function readPageFacts(
  ctx: CheckoutCtx,
  checkout: Checkout,
): Promise<{ quotedUntil: number | undefined; payments: Payment[] }> {
  const [quote] = checkout.currency === 'NANO' ? [] : await listLatestQuotes(ctx.db, checkout.id)
  const payments = await paymentsShown(ctx, checkout)
  return { quotedUntil: quote?.expiresAt, payments: payments.filter(({ kind }) => kind !== 'unmatched') }
}

/** About what an amount is worth, as plain decimal text; undefined when nobody knows. */
export async function worthOf(ctx: CheckoutCtx, amountRaw: bigint, currency: string): Promise<string | undefined> {
  try {
    const { rate } = await rateNow(ctx, currency)
    const worth = worthAt(amountRaw, rate)
    return worth === undefined ? undefined : formatFiat(worth)
  } catch {
    // Shown beside the price, and no more than that; who asks for rates tells why there is none.
    return undefined
  }
}

interface OwnCheckout {
  checkout: Checkout
  payments: Payment[]
  events: EventWithDeliveries[]
  timeline: TimelineEntry[]
}

/** Everything its merchant may know; `owner` undefined is an administrator. */
export async function getOwn(
  ctx: CheckoutCtx,
  given: string,
  { owner }: { owner: string | undefined },
): Promise<OwnCheckout> {
  const id = toCheckoutId(given)
  const checkout = id === undefined ? undefined : await findOwnCheckout(ctx.db, { id, owner })
  if (!checkout) throw checkoutNotFound()
  const accountId = checkout.owner === ANONYMOUS ? null : checkout.owner
  return {
    checkout,
    payments: await listPayments(ctx.db, checkout.id),
    events: await listEventsOf(ctx, { subject: checkout.id, accountId }),
    timeline: await listTimeline(ctx.db, checkout.id),
  }
}

/** The same as the REST interface shows it. */
export async function showOwn(
  ctx: CheckoutCtx,
  given: string,
  { owner, showEvent }: { owner: string | undefined; showEvent: (event: EventWithDeliveries) => JsonObject },
): Promise<JsonObject> {
  const { checkout, payments, events, timeline } = await getOwn(ctx, given, { owner })
  return {
    checkout: toOwnView(ctx.till, checkout),
    payments: payments.map((payment) => showPayment(ctx.till, payment)),
    webhook_events: events.map(showEvent),
    wallet: await showWallet(ctx, checkout),
    timeline: timeline.map(showTimeline),
  }
}

/** The wallet that was made for a checkout: what it holds, and whether it has given it on. */
async function showWallet({ db }: CheckoutCtx, { walletId }: Checkout): Promise<JsonObject | null> {
  const wallet = walletId === null ? undefined : await findWallet(db, walletId)
  if (!wallet) return null
  const { id, address, status, balance } = wallet
  return { id, address, status, balance: balance.toString(), balance_nano: formatNano(balance) }
}

/** Money that came to an owner's addresses and fits nothing: it waits for the merchant's word. */
export async function showUnmatched(ctx: CheckoutCtx, owner: string): Promise<JsonObject> {
  const payments = await listUnmatched(ctx.db, { owner, limit: UNMATCHED_MAX })
  return { payments: payments.map((payment) => showPayment(ctx.till, payment)) }
}
