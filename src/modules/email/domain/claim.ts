import { AppError } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { whenOver } from '../../../kernel/when-over.ts'
import { findPayment, queuePayment, untilPaid } from '../../wallets/index.ts'
import { badField, claimNotReady, claimOver, claimedAlready, unknownCode } from '../errors.ts'
import {
  type Recipient,
  findRecipient,
  findToken,
  insertSuppression,
  markClaimed,
  markDeclined,
} from '../recipients-store.ts'
import type { EmailContext } from '../context.ts'
import { type EmailPayment, findEmailPayment, lockOpenPayment } from '../store.ts'
import { fits, hashToken } from './claim-link.ts'
import { followPayment } from './follow.ts'
import { claimReference, notifyPages, notifySender } from './notify.ts'

/** A share with everything that its recipient may see. */
export interface Share {
  payment: EmailPayment
  recipient: Recipient
  /** The hash of the block that pays it, once it is broadcast. */
  hash: string | undefined
}

/** Finds the share of a token, or throws 404. Changes nothing. */
export async function openShare({ store }: EmailContext, token: string): Promise<Share> {
  const given = hashToken(token)
  const kept = await findToken(store.db, given.selector)
  if (!kept || !fits(given, kept)) throw unknownCode()
  return readShare({ store }, kept.recipientId)
}

/** Whether the money of a link has not reached its wallet yet. Tokens of email payments exist only after the funding. */
export const isOnItsWay = ({ payment }: Share): boolean => payment.status === 'waiting' && payment.cancelledAt === null

/** The same after checking whether the money has arrived. */
export async function openFundedShare(ctx: EmailContext, token: string): Promise<Share> {
  const share = await openShare(ctx, token)
  if (!isOnItsWay(share)) return share
  const { id: paymentId, walletId } = share.payment
  await whenOver(ctx.queue.advance(walletId))
  await followPayment(ctx, paymentId).catch(ctx.store.failures.failed('email.follow', { paymentId }))
  return readShare(ctx, share.recipient.id)
}

async function readShare({ store: { db } }: Pick<EmailContext, 'store'>, recipientId: string): Promise<Share> {
  const recipient = (await findRecipient(db, recipientId))!
  const payment = (await findEmailPayment(db, recipient.paymentId))!
  const sent = recipient.status === 'claimed' ? await findPayment(db, claimReference(recipientId)) : undefined
  const hasLeft = sent?.status === 'broadcast' || sent?.status === 'confirmed'
  return { payment, recipient, hash: hasLeft ? sent.hash! : undefined }
}

/**
 * Pays a share to an address, once: of concurrent claims one succeeds, and the same address again gets the same block. The claim and its
 * payment commit together; after that the payment happens, even if the share's time ends or the process dies.
 */
export async function claimShare(
  ctx: EmailContext,
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
    // The payment is committed and happens in the background; the page says so.
    if (!(error instanceof AppError)) throw error
  })
  notifyPages(ctx.store, payment)
  return readShare(ctx, recipient.id)
}

async function decide(
  ctx: EmailContext,
  tx: StoreCtx,
  { payment, recipient, destination }: { payment: EmailPayment; recipient: Recipient; destination: string },
): Promise<boolean> {
  const { db, clock } = tx
  const now = clock.now()
  // The job that ends a payment locks it as well, so that either sees what the other has done.
  const open = await lockOpenPayment(db, payment.id, now)
  if (open?.status !== 'funded' || open.cancelledAt !== null || now >= open.expiresAt!) return false
  if (!(await markClaimed(db, recipient.id, destination, now))) return false
  const { walletId } = payment
  const reference = claimReference(recipient.id)
  const share = { walletId, destination, amount: recipient.amount, reference }
  await queuePayment({ db, store: ctx.store }, { ...share, purpose: 'claim' })
  await notifySender(tx, payment, { kind: 'claimed', recipientId: recipient.id })
  return true
}

/** Declines a share: it returns to the sender, and this address gets no further mails. */
export async function declineShare(ctx: EmailContext, token: string): Promise<void> {
  const { payment, recipient } = await openShare(ctx, token)
  if (recipient.status === 'claimed') throw claimedAlready()
  await inTx(ctx.store, async (tx) => {
    const now = tx.clock.now()
    const open = await lockOpenPayment(tx.db, payment.id, now)
    const won = open !== undefined && (await markDeclined(tx.db, recipient.id, now))
    if (won) await notifySender(tx, payment, { kind: 'declined', recipientId: recipient.id })
    // A concurrent claim was first: a claimed share is not declined, and the address may still get mails.
    else if ((await findRecipient(tx.db, recipient.id))?.status === 'claimed') throw claimedAlready()
    if (recipient.emailHash !== null) await insertSuppression(tx.db, recipient.emailHash, now)
  })
}
