import { inTx } from '../../../kernel/in-tx.ts'
import { formatNano } from '../../../kernel/money.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { type OutboxBlock, findBlock, findWallet } from '../../wallets/index.ts'
import { queueMail } from '../buyers/mail.ts'
import { findBuyer } from '../buyers/store.ts'
import { announce } from '../domain/events.ts'
import { moveCheckout } from '../domain/move.ts'
import { checkoutNotFound } from '../errors.ts'
import type { EventKind } from '../event-kinds.ts'
import type { ClaimStanding } from '../ports.ts'
import type { CheckoutContext } from '../context.ts'
import { findOwnCheckout, lockCheckout } from '../store.ts'
import { ownRefund } from './shape.ts'
import {
  type Refund,
  type RefundStatus,
  findRefund,
  listRefunds,
  markRefund,
  moveRefunded,
  postponeRefund,
} from './store.ts'
import { refundable } from './terms.ts'

/** How soon the job looks again at a send on its way, and at a link that waits for its payer. */
const SENDING_AGAIN = 2_000
const CLAIM_AGAIN = 60_000

/** The next state of a refund, derived from the send of its wallet and from its link; undefined when nothing has changed. */
function judgeRefund(
  { status, hash }: Pick<Refund, 'status' | 'hash'>,
  block: Pick<OutboxBlock, 'status' | 'hash' | 'refusal'>,
  claim: ClaimStanding | undefined,
): { status: RefundStatus; hash?: string; address?: string; failure?: string } | undefined {
  if (status === 'failed' || status === 'claimed') return undefined
  if (status !== 'sent') {
    if (block.status === 'refused') return { status: 'failed', failure: block.refusal ?? 'wallet_busy' }
    // A confirmed block by another signer took its place, and an operator has checked: it can never arrive.
    if (block.status === 'lost') return { status: 'failed', failure: 'wallet_frozen' }
    // Given up before it was confirmed: it has failed once another block of its wallet is final in its place.
    if (block.status === 'void')
      return block.refusal === null ? undefined : { status: 'failed', failure: block.refusal }
    if (block.status === 'confirmed') return { status: 'sent', hash: block.hash! }
    if (block.status === 'queued' || (status === 'sending' && hash === block.hash)) return undefined
    return { status: 'sending', hash: block.hash! }
  }
  if (claim?.status === 'claimed') return { status: 'claimed', address: claim.address! }
  if (claim?.status === 'returned') return { status: 'failed', failure: 'unclaimed' }
  return undefined
}

/**
 * Records the current state of a refund. Everything is derived from the store, so it may be called at any time; of two callers that see
 * the same change, one sends the event.
 */
export async function followRefund(ctx: CheckoutContext, id: string): Promise<Refund> {
  const refund = (await findRefund(ctx.db, id))!
  const block = await findDecided(ctx, refund)
  const claim = refund.claimId === null ? undefined : await ctx.ports.claims.find(ctx.db, refund.claimId)
  const next = block && judgeRefund(refund, block, claim)
  const now = ctx.clock.now()
  if (!next) {
    if (!isOver(refund))
      await postponeRefund(ctx.db, id, now + (refund.status === 'sent' ? CLAIM_AGAIN : SENDING_AGAIN))
    return refund
  }
  if (next.status === 'sending') {
    return (
      (await markRefund(ctx.db, refund, { ...next, dueAt: now + SENDING_AGAIN })) ?? (await findRefund(ctx.db, id))!
    )
  }
  const moved = await inTx(ctx, (tx) => conclude(tx, refund, { ...next, status: next.status }))
  ctx.ports.announce(refund.checkoutId, `refund.${next.status}`)
  return moved ?? (await findRefund(ctx.db, id))!
}

/** The send of a refund; undefined while it is lost and an operator must check the wallet: until the unfreeze has ended, it may still be sent. */
async function findDecided(
  { db }: CheckoutContext,
  { id, blockId, walletId }: Refund,
): Promise<OutboxBlock | undefined> {
  const block = await findBlock(db, blockId)
  if (!block) throw new Error(`The send of refund ${id} is gone.`)
  if (block.status !== 'lost') return block
  const { frozenAt, unfrozenAt } = (await findWallet(db, walletId))!
  // The end of an unfreeze decides about lost blocks in its own transaction, so what is read after it is final.
  return frozenAt === null && unfrozenAt === null ? findBlock(db, blockId) : undefined
}

/** Whether a refund can change no more; one by link is over only when it was claimed or returned. */
export const isOver = ({ status, as }: Pick<Refund, 'status' | 'as'>): boolean =>
  status === 'failed' || status === 'claimed' || (status === 'sent' && as === 'send')

type Concluded = NonNullable<ReturnType<typeof judgeRefund>> & { status: RefundStatus }

const REPORTS: Partial<Record<RefundStatus, { event: EventKind; reason: string }>> = {
  sent: { event: 'refund.sent', reason: 'refund sent' },
  failed: { event: 'refund.failed', reason: 'refund failed' },
  claimed: { event: 'refund.claimed', reason: 'refund claimed' },
}

/** Changes state, refundable rest, timeline and event together, or nothing. */
async function conclude(tx: CheckoutContext, refund: Refund, next: Concluded): Promise<Refund | undefined> {
  const { db, clock, ports } = tx
  const now = clock.now()
  const held = (await lockCheckout(db, refund.checkoutId))!
  const over = isOver({ status: next.status, as: refund.as })
  const moved = await markRefund(db, refund, {
    ...next,
    dueAt: over ? null : now + CLAIM_AGAIN,
    ...(next.status === 'sent' && { sentAt: now }),
    ...(over && { endedAt: now }),
  })
  if (!moved) return undefined
  if (next.status === 'failed') {
    if (!(await moveRefunded(db, held, -refund.amountRaw))) throw new Error(`Refunds of ${held.id} do not add up.`)
    if (refund.claimId !== null) await ports.claims.cancel(tx, refund.claimId)
  }
  const { event, reason } = REPORTS[next.status]!
  const shown = await moveCheckout(tx, held, { reason, ...(moved.hash !== null && { block: moved.hash }) })
  await announce(tx, shown, { type: event, dedupeKey: `${refund.id}:${next.status}`, refund: moved })
  await notifyBuyer(tx, moved)
  return moved
}

/** The link goes only to the buyer who was named before the payment: afterwards, anybody with the page's link can leave an address. */
async function notifyBuyer(tx: CheckoutContext, { id, checkoutId, status, as }: Refund): Promise<void> {
  const isLink = as === 'link' && status === 'sent'
  const buyer = status === 'failed' ? undefined : await findBuyer(tx.db, checkoutId)
  if (!buyer?.email || (isLink && buyer.givenBy === 'afterwards')) return
  await queueMail(tx, { checkoutId, refundId: id, about: isLink ? 'refund-link' : 'refunded' })
}

/** The refunds of a checkout with their current state, oldest first. */
export async function readRefunds(ctx: CheckoutContext, checkoutId: string): Promise<Refund[]> {
  const refunds = await listRefunds(ctx.db, [checkoutId])
  return Promise.all(refunds.map(async (refund) => (isOver(refund) ? refund : followRefund(ctx, refund.id))))
}

/** The same for the merchant, with the amount left to refund; `owner` undefined is an administrator. */
export async function showRefunds(
  ctx: CheckoutContext,
  { id, owner }: { id: string; owner: string | undefined },
): Promise<JsonObject> {
  if (!(await findOwnCheckout(ctx.db, { id, owner }))) throw checkoutNotFound()
  const refunds = await readRefunds(ctx, id)
  const left = refundable((await findOwnCheckout(ctx.db, { id, owner }))!)
  return {
    refunds: refunds.map((refund) => ownRefund.show(refund, ctx.ports)),
    refundable: formatNano(left),
    refundable_raw: left.toString(),
  }
}
