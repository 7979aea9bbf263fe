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
import type { LinkRoom } from '../room.ts'
import { type PaymentLink, findLinkBySlug, findOwnLink, takeStock } from '../store.ts'
import { type Subscription, insertSubscription } from '../subscriptions/store.ts'
import { type TypedBuyer, readBuyer } from '../link-invoice.ts'
import { type Chosen, invoiceOf, isGift, plansOf, toOrderBody } from './order-body.ts'
import { type LinkStatus, statusOf } from './status.ts'

const DAY = 86_400_000
/** What one network address may have of a link at a time; where pieces are few, less, and not again and again. */
const OPEN_MAX = 5
const OPEN_MAX_OF_FEW = 2
const LAPSED_MAX_OF_FEW = 3
const WAIT_SECONDS = 900
const SUBSCRIPTION_ID = 'sub'
/** As long as its checkout may be paid, with the days in which payments are still recorded. */
const UNPAID_KEPT = 40 * DAY
const EMAIL = new RegExp(EMAIL_PATTERN)
/** What a second sending of a page hears when the first has taken the last pieces, or the visitor's last share. */
const TAKEN = new Set(['conflict', 'too_many_requests'])

interface Asked {
  /** What the page of the offer carried: sent twice, it counts once. */
  token: string | undefined
  quantity: unknown
  plan: unknown
  amount: unknown
  /** Where it is paid for again and again: whom to remind, and in which language. */
  email?: unknown
  language?: string
  /** Where the link has invoices: who buys. */
  buyer?: TypedBuyer
  /** Whose share this takes: an address of the network. */
  visitor: string
}

export async function getOffer({ checkouts: { db } }: LinkRoom, slug: string): Promise<PaymentLink> {
  const link = /^[a-z0-9-]{1,40}$/.test(slug) ? await findLinkBySlug(db, slug) : undefined
  if (!link) throw linkNotFound()
  return link
}

/** How an offer stands for those who see it: links of a suspended account rest. */
export async function readStatus({ checkouts: { db, clock } }: LinkRoom, link: PaymentLink): Promise<LinkStatus> {
  const isResting = (await findAccount(db, link.owner))?.standing.suspendedAt !== null
  return isResting ? 'paused' : statusOf(link, clock.now())
}

/** Makes the checkout of one visitor, or finds the one that their page has made already. */
export async function orderFromLink(room: LinkRoom, slug: string, asked: Asked): Promise<Checkout> {
  const link = await getOffer(room, slug)
  const chosen = readChoice(link, asked)
  const email = link.every === null ? undefined : readEmail(asked.email)
  const token = asked.token ?? randomId(room.checkouts.random, 22)
  const subscriber = email === undefined ? undefined : { email, language: asked.language ?? 'en' }
  return orderChosen(room, link, { chosen, token, visitor: asked.visitor, subscriber })
}

/** Makes the checkout for the next period of a subscription, or finds the one that waits for its payment. */
export async function orderRenewal(room: LinkRoom, subscription: Subscription, visitor: string): Promise<Checkout> {
  const { id, linkId, owner, plan, periods, checkoutId } = subscription
  const link = await findOwnLink(room.checkouts.db, { id: linkId, owner })
  if (!link) throw linkNotFound()
  const at = plan === null ? -1 : plansOf(link).findIndex(({ title }) => title === plan)
  // What was subscribed to is not offered any more.
  const isOther = (plan === null) !== (plansOf(link).length === 0) || (plan !== null && at < 0) || isGift(link)
  if (isOther || link.every !== subscription.every) throw linkClosed('ended')
  // Who bought the first time buys again.
  const last = invoiceOf(link) && checkoutId !== null ? await findCheckout(room.checkouts.db, checkoutId) : undefined
  const { name = null, address = null, taxId = null } = last?.invoice?.buyer ?? {}
  const buyer = last?.invoice?.buyer ? { name, address, tax_id: taxId } : undefined
  const chosen = { quantity: link.quantityMin, plan: at < 0 ? undefined : at, amount: undefined, buyer }
  return orderChosen(room, link, { chosen, token: `${id} ${periods}`, visitor, renews: id })
}

interface Ordering {
  chosen: Chosen
  token: string
  visitor: string
  subscriber?: { email: string; language: string } | undefined
  /** The subscription that it is for, where there is one already. */
  renews?: string
}

async function orderChosen(room: LinkRoom, link: PaymentLink, asked: Ordering): Promise<Checkout> {
  const { checkouts: ctx, secrets } = room
  const { chosen, token, subscriber, renews } = asked
  const parts = [link.id, token, chosen, ...(subscriber ? [subscriber.email] : [])]
  const visit = secrets.fingerprint('link visit', JSON.stringify(parts))
  const visitor = secrets.fingerprint('link visitor', asked.visitor)
  const known = await findVisited(ctx.db, link.id, visit)
  if (known && isAlive(known)) return known
  const status = await readStatus(room, link)
  if (status !== 'active') throw linkClosed(status)
  // Asked again where it is stored; here it keeps a stranger who is over the limit from costing questions to nodes.
  await refuseHoarders(ctx, link, visitor)
  const { ports } = ctx
  const rules = { currencies: ports.prices.currencies, plainHttpAllowed: ports.rules.plainHttpAllowed }
  const request = readCheckout(toOrderBody(room, link, chosen), rules)
  const plan = chosen.plan === undefined ? null : plansOf(link)[chosen.plan]!.title
  const order = { link, visit, visitor, quantity: chosen.quantity, ended: known?.id, subscriber, renews, plan }
  try {
    const { checkout } = await openCheckout(ctx, callerOf(link), request, orderOnce(room, order))
    return checkout
  } catch (error) {
    // The same page, sent twice at once: the other one has made it.
    const isTaken = isUniqueViolation(error) || (error instanceof AppError && TAKEN.has(error.code))
    // Asked behind it in a transaction: what it has written may not be committed yet.
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

/** Its merchant's, made by the link: what strangers make counts by the link, as with a public key. */
const callerOf = ({ owner, id }: PaymentLink) =>
  ({
    kind: 'account',
    accountId: owner,
    role: 'user',
    prepaid: false,
    door: 'secret-key',
    keyId: id,
    actor: actorOf.payer(),
    rights: undefined,
  }) as const

interface Ordered {
  link: PaymentLink
  visit: string
  visitor: string
  quantity: number
  /** An earlier checkout of the same page, which is over. */
  ended: string | undefined
  subscriber: Ordering['subscriber']
  renews: string | undefined
  /** The title of what was chosen. */
  plan: string | null
}

/** Pieces are set aside in the transaction that makes the checkout: both happen, or neither does. */
function orderOnce({ checkouts }: LinkRoom, { link, ended, subscriber, renews, plan, ...order }: Ordered): Idempotency {
  const { clock, ids } = checkouts
  return {
    key: order.visit,
    resumed: false,
    made: undefined,
    async record(tx, made) {
      const now = clock.now()
      if (!(await takeStock(tx, { id: link.id, quantity: order.quantity, now }))) throw linkClosed('sold_out')
      // The link is held from here on: of many sent at once, each sees those before it.
      await refuseHoarders({ db: tx, clock }, link, order.visitor)
      if (ended !== undefined) await forgetVisit(tx, ended)
      const subscriptionId = renews ?? (subscriber ? ids.next(SUBSCRIPTION_ID) : null)
      if (subscriber)
        await insertSubscription(tx, toPending(link, subscriptionId!, { ...subscriber, plan, now }), now + UNPAID_KEPT)
      await insertOrder(tx, { ...order, linkId: link.id, subscriptionId, checkoutId: textOf(made.id), createdAt: now })
    },
  }
}

/** Nothing is owed, and nobody is written to, before it is paid for once. */
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

/** No visitor takes more than their share of a link, or keeps pieces from others by never paying. */
async function refuseHoarders(
  { db, clock }: Pick<LinkRoom['checkouts'], 'db' | 'clock'>,
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
  const plans = plansOf(link)
  const { quantityMin: min, quantityMax: max } = link
  const pieces = given(quantity) === undefined ? min : (toWhole(quantity) ?? 0)
  if (pieces < min || pieces > max) throw badField('quantity', `quantity must be from ${min} to ${max}.`)
  const at = plans.length === 0 ? undefined : (toWhole(plan) ?? -1)
  if (at !== undefined && !plans[at]) throw badField('plan', 'Choose one of the plans.')
  const price = isGift(link) ? (typeof amount === 'string' ? toPlainDecimal(amount.trim()) : '') : undefined
  if (price === '') throw badField('amount', 'Enter an amount.', 'invalid_amount')
  const invoice = invoiceOf(link)
  const written = invoice && readBuyer(invoice, buyer ?? { name: null, address: null, taxId: null })
  return { quantity: pieces, plan: at, amount: price, ...(written && { buyer: written }) }
}

function toWhole(value: unknown): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : ''
  return /^[0-9]{1,7}$/.test(text) ? Number(text) : undefined
}

/** Many write a comma where others write a point. */
const toPlainDecimal = (text: string) => (/^[0-9]*,[0-9]*$/.test(text) ? text.replace(',', '.') : text)
