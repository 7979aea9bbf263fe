import type { Actor } from '../../../kernel/actor.ts'
import type { Place } from '../../../kernel/paging.ts'
import type { Db } from '../../../kernel/db.ts'
import { AppError, overLimit } from '../../../kernel/errors.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { Raw } from '../../../kernel/money.ts'
import type { FrameProps } from '../../../kernel/page.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { giveBackFree, insertAudit, takeFree } from '../../accounts/index.ts'
import { type Checkout, SERVICE, findUnmatched, getCheckout, listUnmatched, openSale } from '../../checkout/index.ts'
import type { OfferContext } from '../context.ts'
import {
  type SettledPayment,
  findOrder,
  insertOrder,
  insertSettled,
  listHeld,
  listSettledAmong,
  listSettledOf,
  markReleased,
} from '../store.ts'
import { queueRefund } from './settle.ts'

const DAY = 24 * 3_600_000

export interface NewOrder {
  kind: string
  subject: string
  accountId: string | null
  detail: JsonObject
  title: string
  description: string
  plans: readonly { title: string; price: Raw }[]
  /** The page for its buyer after payment: a path of this gateway, in which `{{id}}` stands for the checkout's id. */
  back?: string | undefined
  idempotency?: Idempotency | undefined
}

/** Offers something of the service for sale: stores a checkout and what it sells in one transaction. */
export async function openOrder(
  context: OfferContext,
  payer: string,
  { kind, subject, accountId, detail, back, idempotency, ...sale }: NewOrder,
): Promise<Checkout> {
  const made = idempotency?.made as { id: string } | undefined
  if (made) return getCheckout(context.checkouts, made.id)
  const counted = await countOffer(context, payer)
  try {
    return await openSale(context.checkouts, {
      ...sale,
      successUrl: back === undefined ? null : context.checkouts.ports.links.own(back),
      alongside: async ({ db }, { id: checkoutId, createdAt }) => {
        await insertOrder(db, { checkoutId, kind, subject, accountId, detail, createdAt })
        await idempotency?.record(db, { id: checkoutId })
      },
    })
  } catch (error) {
    const { db, failures } = context.checkouts
    if (counted) await giveBackFree(db, counted).catch(failures.lost('credits.free'))
    throw error
  }
}

/** Limits offers, because each costs rows and amounts, and asking for one is free. */
async function countOffer({ checkouts: { db, clock }, offersPerDayMax: max }: OfferContext, payer: string) {
  if (max === 0) return undefined
  const now = clock.now()
  const use = await takeFree(db, { caller: payer, meter: 'offer', now }, { max, windowMilliseconds: DAY })
  if ('freeAt' in use) throw tooManyOffers(max, Math.max(1, Math.ceil((use.freeAt - now) / 1000)))
  return use.taken
}

interface Release {
  blockHash: string
  /** The recipient, when the money must not go back to its sender. */
  destination: string | undefined
  /** Whether the address belongs to an exchange, where a refund would not reach the person who paid. */
  isExchange(address: string): boolean
  actor: Actor
}

/**
 * Returns, on the operator's request, money that could not be returned automatically: from an exchange without a given recipient, or money that
 * matched no order. Safe to repeat: it is returned once.
 */
export function releasePayment(ctx: StoreCtx, release: Release): Promise<SettledPayment> {
  const { blockHash, destination, isExchange, actor } = release
  return inTx(ctx, async (tx) => {
    const held = await markReleased(tx.db, blockHash)
    const payment = held ?? (await settleUnmatched(tx, blockHash))
    if (!payment) throw notHeld()
    // A held payment came from an exchange, whatever the list of exchanges contains today.
    if (destination === undefined && (held || isExchange(payment.payer))) throw destinationRequired()
    const to = destination ?? payment.payer
    await queueRefund(tx, { blockHash, destination: to, amountRaw: payment.amountRaw })
    await insertAudit(tx, { actor, accountId: null, what: 'payment.refunded', detail: { blockHash, destination: to } })
    return payment
  })
}

async function settleUnmatched({ db, clock }: StoreCtx, blockHash: string): Promise<SettledPayment | undefined> {
  const unmatched = await findUnmatched(db, { owner: SERVICE, blockHash })
  if (!unmatched) return undefined
  const { payer, amountRaw } = unmatched
  const payment: SettledPayment = {
    blockHash,
    checkoutId: null,
    kind: 'none',
    subject: '',
    accountId: null,
    payer,
    amountRaw,
    outcome: 'refunded',
    reason: 'unmatched',
    what: null,
    createdAt: clock.now(),
  }
  return (await insertSettled(db, payment)) ? payment : undefined
}

type Unmatched = Awaited<ReturnType<typeof listUnmatched>>[number]

const PAGE = 500

/** Money in the treasury that waits for the operator's decision. */
interface WaitingPayment {
  blockHash: string
  payer: string
  amountRaw: Raw
  /** `unmatched` matched no order; all others came from an exchange and could not be delivered. */
  reason: string
  at: number
}

/** Payments that `releasePayment` can return. They include all other money that came to the treasury, such as gifts and the operator's own. */
export async function listWaiting(db: Db, limit: number): Promise<WaitingPayment[]> {
  const held = (await listHeld(db, limit)).map(({ blockHash, payer, amountRaw, reason, createdAt }) => ({
    blockHash,
    payer,
    amountRaw,
    reason: reason ?? 'unmatched',
    at: createdAt,
  }))
  const waiting = await listStillUnmatched(db, limit - held.length)
  return [...held, ...waiting]
}

/** Page by page, because unmatched payments already returned are skipped, and there may be any number of those. */
async function listStillUnmatched(db: Db, limit: number): Promise<WaitingPayment[]> {
  const waiting: WaitingPayment[] = []
  for (let after: Place | undefined; waiting.length < limit;) {
    const page: Unmatched[] = await listUnmatched(db, { owner: SERVICE, ...(after && { after }), limit: PAGE })
    const settled = await listSettledAmong(
      db,
      page.map(({ blockHash }) => blockHash),
    )
    for (const { blockHash, payer, amountRaw, createdAt } of page) {
      if (!settled.has(blockHash)) waiting.push({ blockHash, payer, amountRaw, reason: 'unmatched', at: createdAt })
    }
    const last = page.at(-1)
    if (!last || page.length < PAGE) break
    after = { createdAt: last.createdAt, id: last.blockHash }
  }
  return waiting.slice(0, limit)
}

type Ways = NonNullable<FrameProps['notice']>['ways']

interface Bought {
  /** What was delivered, as text. */
  what: string
  subject: string
}

/** What an account has bought by a checkout; undefined when the checkout is not its own or was not paid. */
async function findBought(
  db: Db,
  { checkoutId, accountId }: { checkoutId: string; accountId: string },
): Promise<Bought | undefined> {
  const order = await findOrder(db, checkoutId)
  if (order?.accountId !== accountId) return undefined
  const given = (await listSettledOf(db, checkoutId)).find(({ outcome }) => outcome === 'applied')
  return given?.what ? { what: given.what, subject: order.subject } : undefined
}

/** Adds to a page to which a buyer returns what was bought, and where to find it. */
export async function withBought(
  db: Db,
  frame: FrameProps,
  {
    accountId,
    checkoutId,
    waysTo = () => [],
  }: { accountId: string; checkoutId: string | undefined; waysTo?(subject: string): Ways },
): Promise<FrameProps> {
  const bought = checkoutId === undefined ? undefined : await findBought(db, { checkoutId, accountId })
  if (!bought) return frame
  const { what, subject } = bought
  return { ...frame, notice: { kind: 'done', text: `Paid: ${what}.`, ways: waysTo(subject) ?? [] } }
}

const tooManyOffers = (max: number, retryAfterSeconds: number) =>
  overLimit(
    `${max} offers of names, changes and credits a day for one account, or one address without a key.`,
    retryAfterSeconds,
  )
export const buyerRequired = () =>
  new AppError('key_required', 'API key required for buy_rpc, or an email.', { body: { field: 'email' } })
const destinationRequired = () =>
  new AppError('invalid_request', 'This payment came from an exchange. Enter the address to return it to.', {
    body: { field: 'destination' },
  })
const notHeld = () => new AppError('not_found', 'No payment with this block is waiting to be returned.')
