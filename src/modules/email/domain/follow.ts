import type { Actor } from '../../../kernel/actor.ts'
import { LedgerRefusal } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import { parseRaw, toRaw } from '../../../kernel/money.ts'
import { textOf } from '../../../kernel/shape.ts'
import { whenOver } from '../../../kernel/when-over.ts'
import { insertAudit, pledgeTo, releaseSpends } from '../../accounts/index.ts'
import { type Funds, lockFunds, markExpiring, queuePayment, readDeposits, treasury } from '../../wallets/index.ts'
import { emailPaymentNotFound, emailPaymentOver } from '../errors.ts'
import { listRecipients, refundOpen } from '../recipients-store.ts'
import type { EmailContext } from '../context.ts'
import {
  type EmailPayment,
  countReturn,
  findEmailPayment,
  findOwnPayment,
  lockOpenPayment,
  markCancelled,
  markCompleted,
  markExpired,
  markFunded,
} from '../store.ts'
import { INVITE } from './invite.ts'
import { notifyPages, notifySender } from './notify.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
/** Deposits per request; the largest come first. */
const DEPOSITS_MAX = 1_000

/**
 * Moves an email payment on as far as its funds and the time allow: funding, expiry, completion, and the return of any surplus. Everything is
 * derived from the store, so it may be called at any time.
 */
export async function followPayment(ctx: EmailContext, id: string): Promise<void> {
  const payment = await findEmailPayment(ctx.store.db, id)
  if (!payment || payment.endedAt !== null) return
  const { address: feeAddress } = await treasury(ctx)
  // Asks the ledger before anything expires, because the sender may have paid while the gateway was down.
  const isDue = payment.status === 'waiting' && payment.cancelledAt === null && ctx.store.clock.now() >= payment.fundBy
  const mayExpire = isDue && !(await isPaidUnnoticed(ctx, payment))
  const hasMoved = await inTx(ctx.store, (tx) => settle(ctx, tx, { id, feeAddress, mayExpire }))
  if (!hasMoved) return
  notifyPages(ctx.store, payment)
  // If this fails, the jobs of the wallets repeat it.
  await whenOver(ctx.queue.advance(payment.walletId))
}

interface Step {
  id: string
  feeAddress: string
  mayExpire: boolean
}

/** One transaction; true when the wallet has something to send. */
async function settle(ctx: EmailContext, tx: StoreCtx, { id, feeAddress, mayExpire }: Step): Promise<boolean> {
  const { db, clock } = tx
  const now = clock.now()
  const payment = await lockOpenPayment(db, id, now)
  if (!payment) return false
  await lockOpenPayment(db, id, nextLook(payment, now))
  const funds = await lockFunds(db, payment.walletId)
  // The wallet is frozen and waits for an operator.
  if (!funds) return false
  if (payment.status === 'funded') return tendShares(ctx, tx, payment, funds)
  const isCancelled = payment.cancelledAt !== null
  if (funds.balance >= payment.total && !isCancelled) {
    const expiresAt = now + payment.lifetimeMilliseconds
    await markFunded(db, id, { now, expiresAt })
    const { walletId, fee } = payment
    const take = { walletId, destination: feeAddress, amount: fee, reference: `email-fee:${id}` }
    if (fee > 0n) await queuePayment({ db, store: ctx.store }, { ...take, purpose: 'fee' })
    await notifySender(tx, payment, { kind: 'funded' })
    const left = { ...funds, free: funds.free - fee }
    return (await tendShares(ctx, tx, { ...payment, status: 'funded', expiresAt }, left)) || fee > 0n
  }
  if (!isCancelled && (!mayExpire || funds.receives)) return false
  await markExpired(db, id, now)
  await releaseSpends(db, [pledgeTo(payment.address)])
  await markExpiring(db, payment.walletId, 'ended')
  if (funds.balance > 0n) await notifySender(tx, payment, { kind: 'expired' })
  return true
}

/** Mails the shares of a funded payment, returns those whose time is over, and completes the payment when no share is open. */
async function tendShares(ctx: EmailContext, tx: StoreCtx, payment: EmailPayment, funds: Funds): Promise<boolean> {
  const { db, clock } = tx
  const { id, walletId } = payment
  const now = clock.now()
  const isOver = payment.cancelledAt !== null || now >= payment.expiresAt!
  if (isOver) await refundOpen(db, id, now)
  const recipients = await listRecipients(db, id)
  const open = recipients.filter(({ status }) => status === 'queued' || status === 'sent')
  if (open.length === 0) {
    await markCompleted(db, id, now)
    // Ending the wallet makes its queued payments first, then sends the rest to the refund address.
    await markExpiring(db, walletId, 'ended')
    if (recipients.some(({ status }) => status === 'refunded')) await notifySender(tx, payment, { kind: 'returned' })
    return true
  }
  // Adds nothing while such a job exists; replaces one that was given up.
  for (const { id: recipientId } of open.filter(({ status, bouncedAt }) => status === 'queued' && bouncedAt === null)) {
    await enqueue(tx, { kind: INVITE, payload: { recipientId }, key: recipientId })
  }
  const surplus = funds.free - open.reduce((sum, { amount }) => sum + amount, 0n)
  if (surplus <= 0n) return false
  const reference = `email-return:${id}:${payment.returns}`
  await queuePayment(
    { db, store: ctx.store },
    { walletId, destination: payment.refundAddress, amount: toRaw(surplus), reference, purpose: 'return' },
  )
  await countReturn(db, id)
  return true
}

/**
 * Whether the ledger has enough money that the wallet has not received yet. Deposits too small to be received do not count: they would keep a
 * payment from ending, and only the end of its wallet returns them.
 */
async function isPaidUnnoticed(ctx: EmailContext, { address, walletId, total }: EmailPayment): Promise<boolean> {
  const { node, rules, queue } = ctx
  let held = 0n
  try {
    const found = await node.read('account_balance', { account: address, include_only_confirmed: true })
    held = parseRaw(textOf(found.balance)) ?? 0n
  } catch (error) {
    if (!(error instanceof LedgerRefusal)) throw error
  }
  const deposits = await readDeposits(node, address, { count: DEPOSITS_MAX, threshold: rules.receiveMin })
  if (deposits.reduce((sum, { amount }) => sum + amount, held) < total) return false
  void whenOver(queue.advance(walletId))
  return true
}

/** Frequent while the sender is likely to pay, and never later than the next deadline. */
function nextLook({ status, createdAt, fundBy, expiresAt }: EmailPayment, now: number): number {
  if (status === 'funded') return Math.min(now + 10 * MINUTE, expiresAt! > now ? expiresAt! : Infinity)
  const pause = now - createdAt < 60 * MINUTE ? 5 * SECOND : MINUTE
  return Math.min(now + pause, fundBy > now ? fundBy : Infinity)
}

/**
 * Ends a payment at its owner's request: claimed shares stay claimed, and the rest goes to the refund address. The fee of a funded payment is
 * not returned, because its mails were sent.
 */
export async function cancelEmailPayment(
  ctx: EmailContext,
  { id, accountId, actor }: { id: string; accountId: string; actor: Actor },
): Promise<EmailPayment> {
  const { db } = ctx.store
  const was = await inTx(ctx.store, async (tx) => {
    const status = await markCancelled(tx.db, { id, accountId, now: tx.clock.now() })
    if (status !== undefined) await insertAudit(tx, { actor, accountId, what: 'email.cancelled', detail: { id } })
    return status
  })
  const payment = await findOwnPayment(db, accountId, id)
  if (!payment) throw emailPaymentNotFound()
  if (was === undefined) throw emailPaymentOver(payment.status)
  notifyPages(ctx.store, payment)
  // The decision is stored; the job repeats what fails now.
  await followPayment(ctx, id).catch(ctx.store.failures.failed('email.follow', { paymentId: id }))
  return (await findOwnPayment(db, accountId, id))!
}
