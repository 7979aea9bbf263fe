import { type Actor } from '../../../kernel/actor.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import type { KeyRights } from '../../../kernel/rights.ts'
import { formatNano } from '../../../kernel/money.ts'
import type { Rate } from '../../../kernel/ports.ts'
import { referenceReused, refusedSend } from '../../wallets/index.ts'
import { enqueueSweep } from '../domain/credit.ts'
import { audit } from '../domain/mark.ts'
import { moveCheckout } from '../domain/move.ts'
import { rateNow } from '../domain/quote.ts'
import { checkoutNotFound } from '../errors.ts'
import { listPayers, listPayments } from '../payments-store.ts'
import type { PreparedClaim } from '../ports.ts'
import type { CheckoutContext } from '../context.ts'
import { ANONYMOUS, type Checkout, OPEN_STATUSES, SERVICE } from '../record.ts'
import { findCheckout, lockCheckout } from '../store.ts'
import { decideAddress, decideAmount, decideSource, paysItself } from './terms.ts'
import { followRefund } from './follow.ts'
import { type RefundRequest, namesOf } from './request.ts'
import {
  type Refund,
  findRefundByReference,
  findSameRefund,
  insertRefund,
  moveRefunded,
  sumGivenBack,
} from './store.ts'

const MINUTE = 60_000
/** How long a refund may wait for its signature before it fails: a node may be unreachable, or the wallet busy. */
const WAIT_MAX = 15 * MINUTE
/** Without an Idempotency-Key, an identical request within this time is the same refund. */
const SAME_WITHIN = MINUTE

interface RefundCaller {
  id: string
  owner: string
  actor: Actor
  rights: KeyRights | undefined
  /** Called when the answer is an earlier refund. */
  replays?: () => void
}

/**
 * Refunds a payment, or a part of it, once: the refund, its send and the amount left to refund change in one transaction. A checkout
 * that was paid in part is cancelled with it, so that the rest cannot complete it.
 */
export async function refundCheckout(
  ctx: CheckoutContext,
  caller: RefundCaller,
  request: RefundRequest,
  idempotency?: Idempotency,
): Promise<Refund> {
  const made = idempotency?.made as { id: string } | undefined
  const advanced = made && (await followRefund(ctx, made.id))
  // A failed refund may be requested again.
  if (advanced && advanced.status !== 'failed') return advanced
  const checkout = ownOf(await findCheckout(ctx.db, caller.id), caller.owner)
  const { asked } = request
  const reference = idempotency ? `${caller.owner}:${idempotency.key}` : null
  const known = await findKnown(ctx, checkout, { request, reference })
  if (known) {
    caller.replays?.()
    return followRefund(ctx, known.id)
  }
  const isToday = asked.kind === 'fiat' && asked.rate === 'now' && checkout.currency !== 'NANO'
  const today = isToday ? await rateNow(ctx, checkout.currency) : undefined
  const make = (claim?: PreparedClaim) =>
    inTx(ctx, (tx) => record(tx, { caller, request, reference, today, claim, idempotency }))
  const refund = await (request.as === 'link' ? alongClaim(ctx, checkout, { request, today, make }) : make())
  ctx.ports.announce(checkout.id)
  await ctx.ports.wallets.bringForward({ id: refund.blockId, walletId: refund.walletId })
  const followed = await followRefund(ctx, refund.id)
  // It is recorded as failed and nothing was sent: the waiting merchant gets the reason, and may try again.
  if (followed.status === 'failed') throw refusedSend(followed.failure)
  return followed
}

function ownOf(checkout: Checkout | undefined, owner: string): Checkout {
  if (!checkout || checkout.owner !== owner || owner === ANONYMOUS || owner === SERVICE) throw checkoutNotFound()
  return checkout
}

interface LinkRefund {
  request: RefundRequest
  today: Rate | undefined
  make(claim: PreparedClaim): Promise<Refund>
}

/** Prepares a wallet for the money of a link, but only when the refund is possible at the moment. */
async function alongClaim(
  ctx: CheckoutContext,
  checkout: Checkout,
  { request, today, make }: LinkRefund,
): Promise<Refund> {
  const payments = await listPayments(ctx.db, checkout.id)
  const given = await sumGivenBack(ctx.db, ctx.ports.engine, checkout.id)
  const { amountRaw } = decideAmount(checkout, payments, { asked: request.asked, today, given })
  await decideSource(ctx.db, checkout, request.from)
  const returnTo = request.from ?? checkout.merchantAddress
  return ctx.ports.claims.along({ returnTo, amount: amountRaw }, make)
}

interface Wanted {
  caller: RefundCaller
  request: RefundRequest
  reference: string | null
  today: Rate | undefined
  claim: PreparedClaim | undefined
  idempotency: Idempotency | undefined
}

async function record(tx: CheckoutContext, wanted: Wanted): Promise<Refund> {
  const { caller, request, reference, today, claim, idempotency } = wanted
  const { db, clock, ids, ports } = tx
  const { owner, actor, rights } = caller
  const held = ownOf(await lockCheckout(db, caller.id), owner)
  const known = await findKnown(tx, held, { request, reference })
  if (known) {
    caller.replays?.()
    return known
  }
  const payments = await listPayments(db, held.id)
  const given = await sumGivenBack(db, ports.engine, held.id)
  const { amountRaw, ...worth } = decideAmount(held, payments, { asked: request.asked, today, given })
  const address = claim ? null : await decideAddress(tx, held, request)
  const source = await decideSource(db, held, request.from)
  if (address === source.address) throw paysItself()
  if (!(await moveRefunded(db, held, amountRaw))) throw new Error(`Checkout ${held.id} changed while it was held.`)
  const id = ids.next('rfd')
  const blockId = await ports.wallets.queueSend(tx, {
    walletId: source.walletId,
    purpose: 'refund',
    accountId: owner,
    destination: claim?.address ?? address!,
    amount: amountRaw,
    reference: `refund:${id}`,
    waitMilliseconds: WAIT_MAX,
    rights,
  })
  if (claim)
    await ports.claims.record(tx, claim, { refundId: id, accountId: owner, amount: amountRaw, title: held.title })
  const refund: Refund = {
    id,
    checkoutId: held.id,
    owner,
    status: 'created',
    as: request.as,
    asked: namesOf(request.asked),
    reference,
    amountRaw,
    currency: held.currency,
    ...worth,
    address,
    walletId: source.walletId,
    from: source.address,
    blockId,
    hash: null,
    claimId: claim?.id ?? null,
    reason: request.reason,
    failure: null,
    createdAt: clock.now(),
    sentAt: null,
    endedAt: null,
  }
  await insertRefund(db, refund, clock.now())
  await noteRefund(tx, held)
  await audit(tx, {
    actor,
    owner,
    what: 'checkout.refunded',
    detail: { id: held.id, refund: id, amount: formatNano(amountRaw) },
  })
  await idempotency?.record(db, { id })
  return refund
}

/** Cancels a checkout that still waits for the rest of its price: what remains after the refund belongs to the merchant. */
async function noteRefund(tx: CheckoutContext, held: Checkout): Promise<void> {
  const isOpen = OPEN_STATUSES.some((status) => status === held.status)
  if (!isOpen) return void (await moveCheckout(tx, held, { reason: 'refund asked for' }))
  const end = { reason: 'cancelled for a refund', status: 'cancelled', detected: null, detectedAt: null } as const
  await enqueueSweep(tx, await moveCheckout(tx, held, end))
}

/**
 * Finds the refund that an earlier identical request made. Stored answers are kept for a day; the refund itself keeps its key for ever,
 * unless it failed. Without a key, identical means the same amount, address, form and reason within a minute.
 */
async function findKnown(
  { db, clock }: CheckoutContext,
  { id: checkoutId }: Checkout,
  { request, reference }: { request: RefundRequest; reference: string | null },
): Promise<Refund | undefined> {
  const { asked, as, reason } = request
  const name = namesOf(asked)
  if (reference === null) {
    const amountRaw = asked.kind === 'nano' ? asked.raw : -1n
    const [payer, ...others] = as === 'link' || request.address !== undefined ? [] : await listPayers(db, checkoutId)
    const address = request.address ?? (others.length === 0 ? payer : undefined)
    const since = clock.now() - SAME_WITHIN
    return findSameRefund(db, { checkoutId, asked: name, amountRaw, as, address, reason, since })
  }
  const known = await findRefundByReference(db, reference)
  if (known && (known.checkoutId !== checkoutId || known.asked !== name)) throw referenceReused()
  return known
}
