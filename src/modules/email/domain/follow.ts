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
import type { EmailRoom } from '../room.ts'
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
import { tellPages, tellSender } from './tell.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
/** The largest come first. */
const DEPOSITS_MAX = 1_000

/**
 * Brings a payment by mail forward as far as its funds and the clock allow: funding, expiry, completion, and whatever came
 * in beyond what was asked for goes back. Everything is found from the store; call it as often as you like.
 */
export async function followPayment(ctx: EmailRoom, id: string): Promise<void> {
  const payment = await findEmailPayment(ctx.store.db, id)
  if (!payment || payment.endedAt !== null) return
  const { address: feeAddress } = await treasury(ctx)
  // Nothing expires before the ledger was asked: the sender may have paid while we were away.
  const isDue = payment.status === 'waiting' && payment.cancelledAt === null && ctx.store.clock.now() >= payment.fundBy
  const mayExpire = isDue && !(await isPaidUnnoticed(ctx, payment))
  const hasMoved = await inTx(ctx.store, (tx) => settle(ctx, tx, { id, feeAddress, mayExpire }))
  if (!hasMoved) return
  tellPages(ctx.store, payment)
  // What fails now is taken up by the jobs of wallets.
  await whenOver(ctx.queue.advance(payment.walletId))
}

interface Step {
  id: string
  feeAddress: string
  mayExpire: boolean
}

/** One transaction; true when something is left to the wallet. */
async function settle(ctx: EmailRoom, tx: StoreCtx, { id, feeAddress, mayExpire }: Step): Promise<boolean> {
  const { db, clock } = tx
  const now = clock.now()
  const payment = await lockOpenPayment(db, id, now)
  if (!payment) return false
  await lockOpenPayment(db, id, nextLook(payment, now))
  const funds = await lockFunds(db, payment.walletId)
  // A person has to look into the wallet first.
  if (!funds) return false
  if (payment.status === 'funded') return tendShares(ctx, tx, payment, funds)
  const isCancelled = payment.cancelledAt !== null
  if (funds.balance >= payment.total && !isCancelled) {
    const expiresAt = now + payment.lifetimeMilliseconds
    await markFunded(db, id, { now, expiresAt })
    const { walletId, fee } = payment
    const take = { walletId, destination: feeAddress, amount: fee, reference: `email-fee:${id}` }
    if (fee > 0n) await queuePayment({ db, store: ctx.store }, { ...take, purpose: 'fee' })
    await tellSender(tx, payment, { kind: 'funded' })
    const left = { ...funds, free: funds.free - fee }
    return (await tendShares(ctx, tx, { ...payment, status: 'funded', expiresAt }, left)) || fee > 0n
  }
  if (!isCancelled && (!mayExpire || funds.receives)) return false
  await markExpired(db, id, now)
  await releaseSpends(db, [pledgeTo(payment.address)])
  await markExpiring(db, payment.walletId, 'ended')
  if (funds.balance > 0n) await tellSender(tx, payment, { kind: 'expired' })
  return true
}

/** The shares of a funded payment: mailed, refunded when their time is over, and done with when no recipient waits any more. */
async function tendShares(ctx: EmailRoom, tx: StoreCtx, payment: EmailPayment, funds: Funds): Promise<boolean> {
  const { db, clock } = tx
  const { id, walletId } = payment
  const now = clock.now()
  const isOver = payment.cancelledAt !== null || now >= payment.expiresAt!
  if (isOver) await refundOpen(db, id, now)
  const recipients = await listRecipients(db, id)
  const open = recipients.filter(({ status }) => status === 'queued' || status === 'sent')
  if (open.length === 0) {
    await markCompleted(db, id, now)
    // Its end sends everything that is left to the refund address, after what was promised before.
    await markExpiring(db, walletId, 'ended')
    if (recipients.some(({ status }) => status === 'refunded')) await tellSender(tx, payment, { kind: 'returned' })
    return true
  }
  // While such a job waits or runs this adds nothing; it brings back one that was given up.
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
 * Whether the ledger has enough that the wallet has not received yet. Deposits too small to be received do not count: they
 * would keep a payment from ending, and only the end of its wallet gives them back.
 */
async function isPaidUnnoticed(ctx: EmailRoom, { address, walletId, total }: EmailPayment): Promise<boolean> {
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

/** Often while the sender is likely to pay, and never later than the next deadline. */
function nextLook({ status, createdAt, fundBy, expiresAt }: EmailPayment, now: number): number {
  if (status === 'funded') return Math.min(now + 10 * MINUTE, expiresAt! > now ? expiresAt! : Infinity)
  const pause = now - createdAt < 60 * MINUTE ? 5 * SECOND : MINUTE
  return Math.min(now + pause, fundBy > now ? fundBy : Infinity)
}

/**
 * Ends a payment at its owner's wish: what was claimed stays claimed, everything else goes to the refund address. The fee
 * of a funded payment is spent, because its mails are.
 */
export async function cancelEmailPayment(
  ctx: EmailRoom,
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
  tellPages(ctx.store, payment)
  // Decided; what fails now is done by the job.
  await followPayment(ctx, id).catch(ctx.store.failures.failed('email.follow', { paymentId: id }))
  return (await findOwnPayment(db, accountId, id))!
}
