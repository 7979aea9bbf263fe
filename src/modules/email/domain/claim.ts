import { AppError } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { whenOver } from '../../../kernel/when-over.ts'
import { findPayment, queuePayment, untilPaid } from '../../wallets/index.ts'
import type { EmailRoom } from '../room.ts'
import { badField, claimNotReady, claimOver, claimedAlready, unknownCode } from '../errors.ts'
import { type Recipient, findRecipient, findToken, markClaimed } from '../recipients-store.ts'
import { type EmailPayment, findEmailPayment, lockOpenPayment } from '../store.ts'
import { claimReference } from './claim-reference.ts'
import { followPayment } from './follow.ts'
import { tellPages, tellSender } from './tell.ts'
import { fits, hashToken } from './token.ts'

/** A share with everything its recipient may see. */
export interface Share {
  payment: EmailPayment
  recipient: Recipient
  /** Of the block that pays it, once it has left. */
  hash: string | undefined
}

/** The share that a token opens, or 404. Looking changes nothing. */
export async function openShare({ store }: EmailRoom, token: string): Promise<Share> {
  const given = hashToken(token)
  const kept = await findToken(store.db, given.selector)
  if (!kept || !fits(given, kept)) throw unknownCode()
  return readShare({ store }, kept.recipientId)
}

/** Whether the money of a link is still on its way to its wallet; a payment by mail is opened by a token only after its funding. */
export const isOnItsWay = ({ payment }: Share): boolean => payment.status === 'waiting' && payment.cancelledAt === null

/** The same after a look whether the money has come. */
export async function openFundedShare(ctx: EmailRoom, token: string): Promise<Share> {
  const share = await openShare(ctx, token)
  if (!isOnItsWay(share)) return share
  const { id: paymentId, walletId } = share.payment
  await whenOver(ctx.queue.advance(walletId))
  await followPayment(ctx, paymentId).catch(ctx.store.failures.failed('email.follow', { paymentId }))
  return readShare(ctx, share.recipient.id)
}

async function readShare({ store: { db } }: Pick<EmailRoom, 'store'>, recipientId: string): Promise<Share> {
  const recipient = (await findRecipient(db, recipientId))!
  const payment = (await findEmailPayment(db, recipient.paymentId))!
  const sent = recipient.status === 'claimed' ? await findPayment(db, claimReference(recipientId)) : undefined
  const hasLeft = sent?.status === 'broadcast' || sent?.status === 'confirmed'
  return { payment, recipient, hash: hasLeft ? sent.hash! : undefined }
}

/**
 * Pays a share to an address, once: of many browsers one wins, and the same address again gets the same block. The claim
 * and its payment commit together; from then on it happens, whatever its time or our process comes to.
 */
export async function claimShare(
  ctx: EmailRoom,
  { token, destination }: { token: string; destination: string },
): Promise<Share> {
  const share = await openFundedShare(ctx, token)
  const { payment, recipient } = share
  if (destination === payment.address) {
    throw badField('address', 'This is the paying address. Enter your own.', 'invalid_account')
  }
  if (isOnItsWay(share)) throw claimNotReady()
  const won = await inTx(ctx.store, (tx) => decide(ctx, tx, { payment, recipient, destination }))
  if (!won) {
    const { recipient: now } = await readShare(ctx, recipient.id)
    if (now.status !== 'claimed') throw claimOver()
    if (now.claimAddress !== destination) throw claimedAlready()
  }
  await untilPaid(ctx, claimReference(recipient.id)).catch((error: unknown) => {
    // It is promised and leaves by itself; the page says so.
    if (!(error instanceof AppError)) throw error
  })
  tellPages(ctx.store, payment)
  return readShare(ctx, recipient.id)
}

async function decide(
  ctx: EmailRoom,
  tx: StoreCtx,
  { payment, recipient, destination }: { payment: EmailPayment; recipient: Recipient; destination: string },
): Promise<boolean> {
  const { db, clock } = tx
  const now = clock.now()
  // The job that ends a payment holds it as well: either its end sees this claim, or this claim sees its end.
  const open = await lockOpenPayment(db, payment.id, now)
  if (open?.status !== 'funded' || open.cancelledAt !== null || now >= open.expiresAt!) return false
  if (!(await markClaimed(db, recipient.id, destination, now))) return false
  const { walletId } = payment
  const reference = claimReference(recipient.id)
  const share = { walletId, destination, amount: recipient.amount, reference }
  await queuePayment({ db, store: ctx.store }, { ...share, purpose: 'claim' })
  await tellSender(tx, payment, { kind: 'claimed', recipientId: recipient.id })
  return true
}
