import { type Actor } from '../../../kernel/actor.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { toRaw } from '../../../kernel/money.ts'
import { insertAudit } from '../../accounts/index.ts'
import type { CheckoutContext } from '../context.ts'
import { alreadyRefunded, checkoutClosed, checkoutNotFound, notMarkable, paymentNotFound } from '../errors.ts'
import { requireFreeNumber, takeInvoiceNumber } from '../invoices/numbers.ts'
import { type Payment, listPayments, markAssigned } from '../payments-store.ts'
import { ANONYMOUS, type Checkout, isAllRefunded } from '../record.ts'
import { lockCheckout } from '../store.ts'
import { announceCompleted } from './announce-completed.ts'
import { boughtPrice, followCompletion } from './credit.ts'
import { moveCheckout } from './move.ts'

interface MarkRequest {
  id: string
  owner: string
  actor: Actor
  /** An unmatched payment of the owner that was meant for this checkout. */
  blockHash: string | undefined
}

/**
 * The merchant marks a checkout as paid: an ended one, one paid late or for another price, or any open one together with an unmatched
 * payment. From then on it is complete like any other, with one event.
 */
export async function markPaid(ctx: CheckoutContext, request: MarkRequest): Promise<Checkout> {
  const { id, owner, actor, blockHash } = request
  const marked = await inTx(ctx, async (tx) => {
    const held = await lockCheckout(tx.db, id)
    if (!held || held.owner !== owner || owner === ANONYMOUS) throw checkoutNotFound()
    if (held.status === 'complete') throw checkoutClosed(held.status)
    if (isAllRefunded(held)) throw alreadyRefunded()
    const ended = held.status === 'expired' || held.status === 'cancelled'
    if (blockHash === undefined && !ended && held.additional !== 'paid_late') throw notMarkable(held.status)
    await requireFreeNumber(tx.db, tx.ports.engine, held)
    const assigned =
      blockHash === undefined ? undefined : await markAssigned(tx.db, { owner, blockHash, checkoutId: id })
    if (blockHash !== undefined && !assigned) throw paymentNotFound()
    const payment = assigned ?? (await lastPayment(tx, id))
    const moved = await moveCheckout(tx, held, {
      reason: 'marked by the merchant',
      ...(payment && { block: payment.blockHash }),
      status: 'complete',
      additional: 'marked',
      paidAt: tx.clock.now(),
      paidRaw: toRaw(held.paidRaw + (assigned?.amountRaw ?? 0n)),
      blockHash: payment?.blockHash ?? null,
      payer: payment?.payer ?? null,
      plan: payment?.plan ?? held.plan,
      ...boughtPrice(held, payment?.plan ?? held.plan),
      ...(await takeInvoiceNumber(tx.db, held)),
      detected: null,
      detectedAt: null,
    })
    const rate = payment?.rate ? { rate: payment.rate, source: payment.rateSource } : null
    const block = payment && { hash: payment.blockHash, account: payment.payer, amountRaw: payment.amountRaw }
    await announceCompleted(tx, moved, { block, rate })
    await followCompletion(tx, moved)
    await audit(tx, { actor, owner, what: 'checkout.marked', detail: { id, blockHash: blockHash ?? null } })
    return moved
  })
  ctx.ports.announce(id)
  return marked
}

async function lastPayment({ db }: CheckoutContext, id: string): Promise<Payment | undefined> {
  return (await listPayments(db, id)).findLast(({ kind }) => kind !== 'unmatched')
}

export async function audit(
  tx: StoreCtx,
  { actor, owner, what, detail }: { actor: Actor; owner: string; what: string; detail: Record<string, unknown> },
): Promise<void> {
  await insertAudit(tx, { actor, accountId: owner, what, detail })
}
