import { actorOf } from '../../../kernel/actor.ts'
import { randomId } from '../../../kernel/api-key.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import type { Db } from '../../../kernel/db.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import { AppError, badField, overLimit } from '../../../kernel/errors.ts'
import { textOf } from '../../../kernel/shape.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { EMAIL_PATTERN, findAccount } from '../../accounts/index.ts'
import { type Checkout, OPEN_STATUSES, findCheckout, openCheckout, readCheckout } from '../../checkout/index.ts'
import { linkClosed, linkNotFound } from '../errors.ts'
import { countShare, findVisit, forgetVisit, insertOrder } from '../orders-store.ts'
import type { LinkContext } from '../context.ts'
import { type PaymentLink, paymentLinks } from '../payment-link.ts'
import { findLinkBySlug, takeStock } from '../store.ts'
import { type Subscription, insertSubscription } from '../subscriptions/store.ts'
import { type TypedBuyer, readBuyer } from '../link-invoice.ts'
import { type Chosen, isGift, toOrderBody } from './order-body.ts'
import { type LinkStatus, statusOf } from './status.ts'

const DAY = 86_400_000
/** How many open orders of a link one network address may have; fewer for limited stock, where unpaid orders count for a day, too. */
const OPEN_MAX = 5
const OPEN_MAX_OF_FEW = 2
const LAPSED_MAX_OF_FEW = 3
const WAIT_SECONDS = 900
const SUBSCRIPTION_ID = 'sub'
/** As long as its checkout can be paid, and later payments are still recorded. */
const UNPAID_KEPT = 40 * DAY
const EMAIL = new RegExp(EMAIL_PATTERN)
/** Errors that a repeated submission gets when the first one took the last pieces, or the rest of the visitor's share. */
const TAKEN = new Set(['conflict', 'too_many_requests'])

interface Asked {
  /** The token of the offer's page, so that submitting it twice counts once. */
  token: string | undefined
  quantity: unknown
  plan: unknown
  amount: unknown
  /** For subscriptions: the address to remind; the language is that of the page. */
  email?: unknown
  language?: string
  /** Where the link makes invoices: the buyer. */
  buyer?: TypedBuyer
  /** The visitor's network address, to which limits apply. */
  visitor: string
}

export async function getOffer({ checkouts: { db } }: LinkContext, slug: string): Promise<PaymentLink> {
  const link = /^[a-z0-9-]{1,40}$/.test(slug) ? await findLinkBySlug(db, slug) : undefined
  if (!link) throw linkNotFound()
  return link
}

/** The status that visitors see: links of a suspended account are closed. */
export async function readStatus({ checkouts: { db, clock } }: LinkContext, link: PaymentLink): Promise<LinkStatus> {
  const isSuspended = (await findAccount(db, link.owner))?.standing.suspendedAt !== null
  return isSuspended ? 'paused' : statusOf(link, clock.now())
}

/** Makes a visitor's checkout, or finds the one that their page has made already. */
export async function orderFromLink(context: LinkContext, slug: string, asked: Asked): Promise<Checkout> {
  const link = await getOffer(context, slug)
  const chosen = readChoice(link, asked)
  const email = link.every === null ? undefined : readEmail(asked.email)
  const token = asked.token ?? randomId(context.checkouts.random, 22)
  const subscriber = email === undefined ? undefined : { email, language: asked.language ?? 'en' }
  return orderChosen(context, link, { chosen, token, visitor: asked.visitor, subscriber })
}

/** Makes the checkout for the next period of a subscription, or finds the one that waits for payment. */
export async function orderRenewal(
  context: LinkContext,
  subscription: Subscription,
  visitor: string,
): Promise<Checkout> {
  const { id, linkId, owner, plan, periods, checkoutId } = subscription
  const link = await paymentLinks.findOwn(context.checkouts.db, { id: linkId, owner })
  if (!link) throw linkNotFound()
  const at = plan === null ? -1 : link.plans.findIndex(({ title }) => title === plan)
  // The subscribed plan or price is no longer offered.
  const isOther = (plan === null) !== (link.plans.length === 0) || (plan !== null && at < 0) || isGift(link)
  if (isOther || link.every !== subscription.every) throw linkClosed('ended')
  // The buyer of the last invoice is the buyer of the next.
  const last = link.invoice && checkoutId !== null ? await findCheckout(context.checkouts.db, checkoutId) : undefined
  const buyer = buyerOf(last?.invoice)
  const chosen = { quantity: link.quantityMin, plan: at < 0 ? undefined : at, amount: undefined, buyer }
  const { email, language } = subscription
  const receipt = email === null ? undefined : { email, language }
  return orderChosen(context, link, { chosen, token: `${id} ${periods}`, visitor, renews: id, receipt })
}

/** The buyer of an invoice, as an order names one. */
export function buyerOf(invoice: Checkout['invoice'] | undefined): Chosen['buyer'] {
  if (!invoice?.buyer) return undefined
  const { name, address, taxId } = invoice.buyer
  return { name, address, tax_id: taxId }
}

interface Ordering {
  chosen: Chosen
  token: string
  visitor: string
  subscriber?: { email: string; language: string } | undefined
  /** The existing subscription that it renews. */
  renews?: string
  /** Where the receipt of a renewal goes. */
  receipt?: { email: string; language: string } | undefined
}

export async function orderChosen(context: LinkContext, link: PaymentLink, asked: Ordering): Promise<Checkout> {
  const { checkouts: ctx, secrets } = context
  const { chosen, token, subscriber, renews } = asked
  const parts = [link.id, token, chosen, ...(subscriber ? [subscriber.email] : [])]
  const visit = secrets.fingerprint('link visit', JSON.stringify(parts))
  const visitor = secrets.fingerprint('link visitor', asked.visitor)
  const known = await findVisited(ctx.db, link.id, visit)
  if (known && isAlive(known)) return known
  const status = await readStatus(context, link)
  if (status !== 'active') throw linkClosed(status)
  // Checked again when it is stored; checked here so that a visitor over the limit cannot make us query nodes.
  await refuseHoarders(ctx, link, visitor)
  const { ports } = ctx
  const rules = { currencies: ports.prices.currencies, plainHttpAllowed: ports.rules.plainHttpAllowed }
  const request = readCheckout(toOrderBody(context, link, chosen), rules)
  const plan = chosen.plan === undefined ? null : link.plans[chosen.plan]!.title
  const order = { link, visit, visitor, quantity: chosen.quantity, ended: known?.id, subscriber, renews, plan }
  try {
    const { email = null, language } = subscriber ?? asked.receipt ?? {}
    const { name } = chosen.buyer ?? {}
    const buyer = { name: typeof name === 'string' ? name : null, email }
    const named = { ...request, ...(language !== undefined && { language }), ...((buyer.name ?? email) && { buyer }) }
    const { checkout } = await openCheckout(ctx, callerOf(link), named, orderOnce(context, order))
    return checkout
  } catch (error) {
    // The same page was submitted twice at once, and the other request has made it.
    const isTaken = isUniqueViolation(error) || (error instanceof AppError && TAKEN.has(error.code))
    // Read in a transaction, because the other request may not have committed yet.
    const made = isTaken ? await ctx.db.transaction().execute((tx) => findVisited(tx, link.id, visit)) : undefined
    if (!made || !isAlive(made)) throw error
    return made
  }
}

const isAlive = ({ status }: Checkout) => status === 'complete' || OPEN_STATUSES.some((open) => open === status)

async function findVisited(db: Db, linkId: string, visit: string): Promise<Checkout | undefined> {
  const id = await findVisit(db, { linkId, visit })
  return id === undefined ? undefined : findCheckout(db, id)
}

/**
 * The caller that makes a visitor's checkout. The checkout belongs to the merchant; the link stands in place of a key, because anyone can make such a
 * checkout, as with a public key. These checkouts are counted separately.
 */
const callerOf = ({ owner, id }: PaymentLink) =>
  ({
    kind: 'account',
    accountId: owner,
    role: 'user',
    prepaid: false,
    access: 'secret-key',
    keyId: id,
    actor: actorOf.payer(),
    rights: undefined,
  }) as const

interface Ordered {
  link: PaymentLink
  visit: string
  visitor: string
  quantity: number
  /** An ended checkout of the same page. */
  ended: string | undefined
  subscriber: Ordering['subscriber']
  renews: string | undefined
  /** The title of the chosen plan. */
  plan: string | null
}

/** Holds the pieces in the transaction that makes the checkout: both happen, or neither does. */
function orderOnce(
  { checkouts }: LinkContext,
  { link, ended, subscriber, renews, plan, ...order }: Ordered,
): Idempotency {
  const { clock, ids } = checkouts
  return {
    key: order.visit,
    resumed: false,
    made: undefined,
    async record(tx, made) {
      const now = clock.now()
      if (!(await takeStock(tx, { id: link.id, quantity: order.quantity, now }))) throw linkClosed('sold_out')
      // This transaction now holds the link, so each of many orders sent at once counts those before it.
      await refuseHoarders({ db: tx, clock }, link, order.visitor)
      if (ended !== undefined) await forgetVisit(tx, ended)
      const subscriptionId = renews ?? (subscriber ? ids.next(SUBSCRIPTION_ID) : null)
      if (subscriber)
        await insertSubscription(tx, toPending(link, subscriptionId!, { ...subscriber, plan, now }), now + UNPAID_KEPT)
      await insertOrder(tx, { ...order, linkId: link.id, subscriptionId, checkoutId: textOf(made.id), createdAt: now })
    },
  }
}

/** A pending subscription owes nothing and gets no mails until its first payment. */
function toPending(
  link: PaymentLink,
  id: string,
  { email, language, plan, now }: { email: string; language: string; plan: string | null; now: number },
): Subscription {
  return {
    id,
    linkId: link.id,
    owner: link.owner,
    email,
    language,
    plan,
    every: link.every!,
    graceDays: link.graceDays,
    status: 'pending',
    beganAt: null,
    periods: 0,
    paidUntil: null,
    checkoutId: null,
    createdAt: now,
    endedAt: null,
  }
}

function readEmail(value: unknown): string {
  const email = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (!EMAIL.test(email)) throw badField('email', 'Invalid email', 'invalid_email')
  return email
}

/** Refuses visitors beyond their share of a link, and those who keep holding pieces without paying. */
async function refuseHoarders(
  { db, clock }: Pick<LinkContext['checkouts'], 'db' | 'clock'>,
  link: PaymentLink,
  visitor: string,
): Promise<void> {
  const { open, lapsed } = await countShare(db, { linkId: link.id, visitor, since: clock.now() - DAY })
  const isFew = link.soldMax !== null
  const openMax = isFew ? OPEN_MAX_OF_FEW : OPEN_MAX
  if (open >= openMax) {
    throw overLimit(
      `${openMax} orders of one link may wait for payment. Pay one, or wait until one has expired.`,
      WAIT_SECONDS,
    )
  }
  if (isFew && lapsed >= LAPSED_MAX_OF_FEW) {
    throw overLimit(
      `${LAPSED_MAX_OF_FEW} orders of this link were not paid today. More can be made tomorrow.`,
      DAY / 1000,
    )
  }
}

function readChoice(link: PaymentLink, { quantity, plan, amount, buyer }: Asked): Chosen {
  const { plans, invoice, quantityMin: min, quantityMax: max } = link
  const pieces = given(quantity) === undefined ? min : (toWhole(quantity) ?? 0)
  if (pieces < min || pieces > max) throw badField('quantity', `quantity must be from ${min} to ${max}.`)
  const at = plans.length === 0 ? undefined : (toWhole(plan) ?? -1)
  if (at !== undefined && !plans[at]) throw badField('plan', 'Choose one of the plans.')
  const price = isGift(link) ? (typeof amount === 'string' ? toPlainDecimal(amount.trim()) : '') : undefined
  if (price === '') throw badField('amount', 'Enter an amount.', 'invalid_amount')
  const written = invoice && readBuyer(invoice, buyer ?? { name: null, address: null, taxId: null })
  return { quantity: pieces, plan: at, amount: price, ...(written && { buyer: written }) }
}

function toWhole(value: unknown): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : ''
  return /^[0-9]{1,7}$/.test(text) ? Number(text) : undefined
}

/** Accepts a comma as the decimal separator. */
const toPlainDecimal = (text: string) => (/^[0-9]*,[0-9]*$/.test(text) ? text.replace(',', '.') : text)
