import { toCursor } from '../../../kernel/paging.ts'
import { formatNano } from '../../../kernel/money.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { type Merchant, findMerchant, findPayout } from '../../accounts/index.ts'
import { findWallet, findWalletByAddress } from '../../wallets/index.ts'
import { type EventWithDeliveries, listEventsOf } from '../../webhooks/index.ts'
import { type Buyer, findBuyer, listBuyers } from '../buyers/store.ts'
import { type TimelineEntry, listTimeline, markServed } from '../changes-store.ts'
import { checkoutNotFound } from '../errors.ts'
import { type Payment, countUnmatched, listPayments, listUnmatched } from '../payments-store.ts'
import { ANONYMOUS, type Checkout, SERVICE } from '../record.ts'
import { listedRefund, publicRefund } from '../refunds/shape.ts'
import { type Refund, listRefunds } from '../refunds/store.ts'
import { listLatestQuotes } from '../reservations-store.ts'
import type { CheckoutContext } from '../context.ts'
import type { OrderStanding } from '../service-sales.ts'
import { check, moment, ownCheckout, payment, publicRecord } from '../views.ts'
import { findCheckout, findOwnCheckout, hasUsed } from '../store.ts'
import { toCheckoutId } from '../wire-fields.ts'
import type { Choice } from './choose-amount.ts'
import { formatFiat, worthAt } from './fiat.ts'
import { rateNow, refreshQuote } from './quote.ts'

/** Finds a checkout by its id in any form that links use, or throws 404. */
export async function getCheckout({ db }: CheckoutContext, given: string): Promise<Checkout> {
  const id = toCheckoutId(given)
  const checkout = id === undefined ? undefined : await findCheckout(db, id)
  if (!checkout) throw checkoutNotFound()
  return checkout
}

/** Who is being paid, where the merchant has set a name: shown only over an address that is the account's own. */
export async function merchantOf(ctx: CheckoutContext, checkout: Checkout): Promise<Merchant | undefined> {
  const { owner } = checkout
  if (owner === ANONYMOUS || owner === SERVICE) return undefined
  return (await paysAccount(ctx, checkout)) ? findMerchant(ctx.db, owner) : undefined
}

/** Whether a checkout pays an address that the account itself has used: anyone with an unbound public key can name any address. */
export const paysAccount = async (
  { db }: CheckoutContext,
  { owner, madeWith, merchantAddress: address }: Checkout,
): Promise<boolean> =>
  madeWith !== 'public_key' ||
  (await hasUsed(db, { address, owner })) ||
  (await findWalletByAddress(db, address))?.accountId === owner ||
  (await findPayout(db, owner)) === address

/** Blocks are shown only for a complete checkout. */
async function paymentsShown({ db }: CheckoutContext, { id, status }: Checkout): Promise<Payment[]> {
  return status === 'complete' ? listPayments(db, id) : []
}

/** What the service sold and what became of the order; refunded money is not shown as a payment. */
function orderShown(order: OrderStanding | undefined, status: Checkout['status']): JsonObject {
  if (!order) return {}
  const { shown, refund } = order
  if (status !== 'refunded' || !refund) return { order: shown }
  const { error, hash, address, amountRaw } = refund
  const back = { hash, amount: formatNano(amountRaw), amount_raw: amountRaw.toString(), address }
  return { error, refund: back, order: shown }
}

/** What a merchant has made public about itself. */
function merchantShown({ ports }: CheckoutContext, merchant: Merchant | undefined): JsonObject {
  if (!merchant) return {}
  const { name, logo, website, supportEmail, supportUrl, termsUrl } = merchant
  const profile = {
    logo: logo === null ? null : ports.links.own(logo),
    website,
    support_email: supportEmail,
    support_url: supportUrl,
    terms_url: termsUrl,
  }
  return { merchant: { name, ...Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== null)) } }
}

/** What its merchant refunded; queried only where there is a refund. */
async function refundsShown({ db }: CheckoutContext, { id, refundedRaw }: Checkout): Promise<JsonObject> {
  if (refundedRaw === 0n) return {}
  const refunds = (await listRefunds(db, [id])).filter(({ status }) => status !== 'failed')
  return { ...sumRefunded(refundedRaw), refunds: refunds.map(publicRefund.show) }
}

const sumRefunded = (raw: bigint) => ({ amount_refunded: formatNano(raw), amount_refunded_raw: raw.toString() })

/** Buyers and refunds for the merchant, by ids of checkouts, including refunds that failed. */
export async function listBeside(
  ctx: CheckoutContext,
  checkouts: readonly Checkout[],
): Promise<Map<string, JsonObject>> {
  const given = checkouts.filter(({ refundedRaw }) => refundedRaw > 0n)
  const refunds = await listRefunds(
    ctx.db,
    given.map(({ id }) => id),
  )
  const buyers = await listBuyers(
    ctx.db,
    checkouts.map(({ id }) => id),
  )
  return new Map(
    checkouts.map((checkout) => [
      checkout.id,
      {
        ...buyerShown(buyers.get(checkout.id)),
        ...(checkout.refundedRaw > 0n && ownRefunds(ctx, checkout, refunds)),
      },
    ]),
  )
}

const buyerShown = (buyer: Buyer | undefined): JsonObject =>
  buyer && (buyer.name !== null || buyer.email !== null) ? { buyer: { name: buyer.name, email: buyer.email } } : {}

function ownRefunds({ ports }: CheckoutContext, { id, refundedRaw }: Checkout, refunds: readonly Refund[]): JsonObject {
  const own = refunds.filter(({ checkoutId }) => checkoutId === id)
  return { ...sumRefunded(refundedRaw), refunds: own.map((refund) => listedRefund.show(refund, ports)) }
}

export async function showCheck(ctx: CheckoutContext, paid: Checkout): Promise<JsonObject> {
  const { checkout, order } = await asOrdered(ctx, paid)
  const shown = check.show({ ...checkout, payments: await paymentsShown(ctx, checkout) }, ctx.ports)
  return { ...shown, ...(await refundsShown(ctx, checkout)), ...orderShown(order, checkout.status) }
}

export async function showRecord(ctx: CheckoutContext, paid: Checkout, choice?: Choice): Promise<JsonObject> {
  const { checkout, order } = await asOrdered(ctx, paid)
  const payments = await paymentsShown(ctx, checkout)
  return {
    ...publicRecord.show({ ...checkout, payments, choice }, ctx.ports),
    ...merchantShown(ctx, await merchantOf(ctx, checkout)),
    ...(await refundsShown(ctx, checkout)),
    ...orderShown(order, checkout.status),
  }
}

/** A payer opens the page: a fiat price gets its amount, and the terms are fixed from now on. */
export async function servePage(ctx: CheckoutContext, given: string): Promise<Checkout> {
  const checkout = await getCheckout(ctx, given)
  if (checkout.servedAt !== null) return refreshQuote(ctx, checkout)
  await markServed(ctx.db, checkout.id, ctx.clock.now())
  // Read again, because its merchant may have changed it up to this moment, and cannot any more.
  return refreshQuote(ctx, await getCheckout(ctx, given))
}

/** The facts a page shows beside the checkout: how long its amounts are valid, and the payments it counted. */
export async function readPageFacts(
  ctx: CheckoutContext,
  paid: Checkout,
): Promise<{
  checkout: Checkout
  quotedUntil: number | undefined
  payments: Payment[]
  refund: OrderStanding['refund']
}> {
  const { checkout, order } = await asOrdered(ctx, paid)
  const [quote] = checkout.currency === 'NANO' ? [] : await listLatestQuotes(ctx.db, checkout.id)
  const payments = await paymentsShown(ctx, checkout)
  // The service sells again after it refunded another buyer: only the block for which it delivered counts.
  const counts = ({ kind, blockHash }: Payment) => (order ? blockHash === checkout.blockHash : kind !== 'unmatched')
  return { checkout, quotedUntil: quote?.expiresAt, payments: payments.filter(counts), refund: order?.refund }
}

/** Approximate value of an amount as decimal text; undefined without a rate. */
export async function worthOf(ctx: CheckoutContext, amountRaw: bigint, currency: string): Promise<string | undefined> {
  try {
    const { rate } = await rateNow(ctx, currency)
    const worth = worthAt(amountRaw, rate)
    return worth === undefined ? undefined : formatFiat(worth)
  } catch {
    // The value is only a hint beside the price; the code that fetches rates logs why there is none.
    return undefined
  }
}

interface OwnCheckout {
  checkout: Checkout
  order: OrderStanding | undefined
  payments: Payment[]
  refunds: Refund[]
  buyer: Buyer | undefined
  events: EventWithDeliveries[]
  timeline: TimelineEntry[]
}

/** Everything the merchant may know about a checkout; `owner` undefined is an administrator. */
export async function getOwn(
  ctx: CheckoutContext,
  given: string,
  { owner }: { owner: string | undefined },
): Promise<OwnCheckout> {
  const id = toCheckoutId(given)
  const own = id === undefined ? undefined : await findOwnCheckout(ctx.db, { id, owner })
  if (!own) throw checkoutNotFound()
  const { checkout, order } = await asOrdered(ctx, own)
  const accountId = checkout.owner === ANONYMOUS ? null : checkout.owner
  return {
    checkout,
    order,
    payments: await listPayments(ctx.db, checkout.id),
    refunds: await listRefunds(ctx.db, [checkout.id]),
    buyer: await findBuyer(ctx.db, checkout.id),
    events: await listEventsOf(ctx, { subject: checkout.id, accountId }),
    timeline: await listTimeline(ctx.db, checkout.id),
  }
}

/** The same as the REST interface returns it. */
export async function showOwn(
  ctx: CheckoutContext,
  given: string,
  { owner, showEvent }: { owner: string | undefined; showEvent: (event: EventWithDeliveries) => JsonObject },
): Promise<JsonObject> {
  const { checkout, order, payments, refunds, buyer, events, timeline } = await getOwn(ctx, given, { owner })
  return {
    checkout: {
      ...ownCheckout.show(checkout, ctx.ports),
      ...buyerShown(buyer),
      ...(refunds.length > 0 && ownRefunds(ctx, checkout, refunds)),
      ...orderShown(order, checkout.status),
    },
    payments: payments.map((one) => payment.show(one, ctx.ports)),
    webhook_events: events.map(showEvent),
    wallet: await showWallet(ctx, checkout),
    timeline: timeline.map(moment.show),
  }
}

/** The wallet generated for a checkout: its balance, and whether it was swept. */
async function showWallet({ db }: CheckoutContext, { walletId }: Checkout): Promise<JsonObject | null> {
  const wallet = walletId === null ? undefined : await findWallet(db, walletId)
  if (!wallet) return null
  const { id, address, status, balance } = wallet
  return { id, address, status, balance: balance.toString(), balance_nano: formatNano(balance) }
}

/** Payments to an owner's addresses that fit no checkout, for the merchant to assign. */
export async function showUnmatched(
  ctx: CheckoutContext,
  page: Parameters<typeof listUnmatched>[1],
): Promise<JsonObject> {
  const payments = await listUnmatched(ctx.db, page)
  const last = payments.length === page.limit ? payments.at(-1) : undefined
  return {
    payments: payments.map((one) => payment.show(one, ctx.ports)),
    total: await countUnmatched(ctx.db, page.owner),
    limit: page.limit,
    next_cursor: last ? toCursor({ createdAt: last.createdAt, id: last.blockHash }) : null,
  }
}

interface Ordered {
  checkout: Checkout
  /** The order, for something that the service itself sells. */
  order: OrderStanding | undefined
}

/**
 * A checkout as it is shown. In the store, `complete` means that money came. A buyer from the service must see `complete` only once the
 * order was delivered: a payment that is refunded, or waits for an owner's approval, completes nothing.
 */
export async function asOrdered({ db, ports }: CheckoutContext, checkout: Checkout): Promise<Ordered> {
  const order = checkout.owner === SERVICE ? await ports.sales.describe(db, checkout.id) : undefined
  if (!order || checkout.status !== 'complete') return { checkout, order }
  const { outcome, block } = order
  if (outcome === 'refunded' || outcome === 'held') return { order, checkout: { ...checkout, status: 'refunded' } }
  // The payer should not pay again, and the shop must not take it for delivered.
  if (outcome === 'unauthorized') return { order, checkout: { ...checkout, status: 'detected', detected: block } }
  if (!block || block.hash === checkout.blockHash) return { order, checkout }
  // An earlier payer's payment completed this checkout and was refunded; the block of this order belongs to a later payer.
  const plan = checkout.plans.findIndex(({ amountRaw }) => amountRaw === block.amountRaw)
  const paid = { blockHash: block.hash, payer: block.account, paidRaw: block.amountRaw, plan }
  return { order, checkout: { ...checkout, ...paid } }
}
