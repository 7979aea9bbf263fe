import { randomId } from '../../../kernel/api-key.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import type { Db } from '../../../kernel/db.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import { AppError, badField } from '../../../kernel/errors.ts'
import { findAccount } from '../../accounts/index.ts'
import { type Checkout, OPEN_STATUSES, findCheckout, openCheckout, readCheckout } from '../../checkout/index.ts'
import { linkClosed, linkNotFound, shareSpent } from '../errors.ts'
import { countShare, findVisit, forgetVisit, insertOrder } from '../orders-store.ts'
import type { LinkRoom } from '../room.ts'
import { type PaymentLink, findLinkBySlug, takeStock } from '../store.ts'
import { type Chosen, isGift, plansOf, toOrderBody } from './order-body.ts'
import { type LinkStatus, statusOf } from './status.ts'

const DAY = 86_400_000
/** What one network address may have of a link at a time; where pieces are few, less, and not again and again. */
const OPEN_MAX = 5
const OPEN_MAX_OF_FEW = 2
const LAPSED_MAX_OF_FEW = 3
const WAIT_SECONDS = 900
/** What a second sending of a page hears when the first has taken the last pieces, or the visitor's last share. */
const TAKEN = new Set(['conflict', 'too_many_requests'])

interface Asked {
  /** What the page of the offer carried: sent twice, it counts once. */
  token: string | undefined
  quantity: unknown
  plan: unknown
  amount: unknown
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
  const { checkouts: ctx, secrets } = room
  const link = await getOffer(room, slug)
  const chosen = readChoice(link, asked)
  const token = asked.token ?? randomId(ctx.random, 22)
  const visit = secrets.fingerprint('link visit', JSON.stringify([link.id, token, chosen]))
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
  const order = { link, visit, visitor, quantity: chosen.quantity, ended: known?.id }
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
    rights: undefined,
  }) as const

interface Ordered {
  link: PaymentLink
  visit: string
  visitor: string
  quantity: number
  /** An earlier checkout of the same page, which is over. */
  ended: string | undefined
}

/** Pieces are set aside in the transaction that makes the checkout: both happen, or neither does. */
function orderOnce({ checkouts: { clock } }: LinkRoom, { link, ended, ...order }: Ordered): Idempotency {
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
      await insertOrder(tx, { ...order, linkId: link.id, checkoutId: String(made.id), createdAt: now })
    },
  }
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
    throw shareSpent(
      `${openMax} orders of one link may wait for payment. Pay one, or wait until one has expired.`,
      WAIT_SECONDS,
    )
  }
  if (isFew && lapsed >= LAPSED_MAX_OF_FEW) {
    throw shareSpent(
      `${LAPSED_MAX_OF_FEW} orders of this link were not paid today. More can be made tomorrow.`,
      DAY / 1000,
    )
  }
}

function readChoice(link: PaymentLink, { quantity, plan, amount }: Asked): Chosen {
  const plans = plansOf(link)
  const { quantityMin: min, quantityMax: max } = link
  const pieces = toWhole(quantity) ?? min
  if (pieces < min || pieces > max) throw badField('quantity', `quantity must be from ${min} to ${max}.`)
  const at = plans.length === 0 ? undefined : (toWhole(plan) ?? -1)
  if (at !== undefined && !plans[at]) throw badField('plan', 'Choose one of the plans.')
  const price = isGift(link) ? (typeof amount === 'string' ? toPlainDecimal(amount.trim()) : '') : undefined
  if (price === '') throw badField('amount', 'Say how much.', 'invalid_amount')
  return { quantity: pieces, plan: at, amount: price }
}

function toWhole(value: unknown): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : ''
  return /^[0-9]{1,7}$/.test(text) ? Number(text) : undefined
}

/** Many write a comma where others write a point. */
const toPlainDecimal = (text: string) => (/^[0-9]*,[0-9]*$/.test(text) ? text.replace(',', '.') : text)
