import { actorOf } from '../../../kernel/actor.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { insertAudit } from '../../accounts/index.ts'
import type { ServicePayment } from '../../checkout/index.ts'
import { findServiceWallet, queuePayment } from '../../wallets/index.ts'
import {
  type Order,
  findUnauthorized,
  insertSettled,
  isPaidFor,
  listUnauthorized,
  lockOrder,
  updateSettled,
} from '../store.ts'

/** Reasons of refunds, which are part of the answers. */
export type RefundReason =
  | 'already_paid'
  | 'name_taken'
  | 'not_the_owner'
  | 'name_not_leased'
  /** Paid, but the owner did not approve within a day. */
  | 'not_authorized'
  /** The operator returns money that matched no order. */
  | 'unmatched'

/** What was delivered for a payment, or why nothing can be. */
type Fulfilment =
  /** `what` is a text for people; `afterCommit` is called once the transaction is committed. */
  | { what: string; accountId?: string; afterCommit?: () => void }
  | { refund: RefundReason }
  /** Nothing is delivered until the owner has approved it. */
  | 'unauthorized'

/** Delivers what an order sells, in the transaction of its payment. May only write to the store; called once for each block. */
export type Fulfil = (tx: StoreCtx, order: Order, payment: ServicePayment) => Promise<Fulfilment>

export interface Settlement {
  /** The function that delivers orders of a kind. */
  fulfil(kind: string): Fulfil | undefined
  /** Whether the address belongs to an exchange, where a refund would not reach the person who paid. */
  isExchange(address: string): boolean
  /** Called when a refund is queued in the treasury. */
  onRefund(walletId: string): void
}

/**
 * Settles a payment to the service: delivers what was sold or refunds the whole amount, once for each block. All of it is in the transaction that
 * records the payment, so that a crash leaves everything or nothing.
 */
export async function settlePayment(
  settlement: Settlement,
  tx: StoreCtx,
  payment: ServicePayment,
): Promise<() => void> {
  const { checkoutId, blockHash, payer, amountRaw } = payment
  const order = await lockOrder(tx.db, checkoutId)
  if (!order) throw new Error(`The checkout ${checkoutId} sells nothing.`)
  const { kind, subject, accountId } = order
  const createdAt = tx.clock.now()
  const settled = { blockHash, checkoutId, kind, subject, accountId, payer, amountRaw, createdAt }
  // Only deliveries count: somebody without the right to a delivery must not use up the owner's offer by paying.
  const isPaid = await isPaidFor(tx.db, checkoutId)
  const isFirst = await insertSettled(tx.db, { ...settled, outcome: 'applied', reason: null, what: null })
  if (!isFirst) return () => undefined
  const given = isPaid ? ({ refund: 'already_paid' } as const) : await giverOf(settlement, kind)(tx, order, payment)
  return conclude(settlement, tx, { order, payment, given })
}

/** Settles a paid order again after its owner has approved it, in the transaction that stores the approval. */
export async function resumeOrder(settlement: Settlement, tx: StoreCtx, checkoutId: string): Promise<() => void> {
  const waiting = await lockWaiting(tx, checkoutId)
  if (!waiting) return () => undefined
  const { order, payment } = waiting
  const given = await giverOf(settlement, order.kind)(tx, order, payment)
  return conclude(settlement, tx, { order, payment, given })
}

/** Settles a paid order whose owner did not approve it in time. */
async function giveUpOrder(settlement: Settlement, tx: StoreCtx, checkoutId: string): Promise<() => void> {
  const waiting = await lockWaiting(tx, checkoutId)
  if (!waiting) return () => undefined
  return conclude(settlement, tx, { ...waiting, given: { refund: 'not_authorized' } })
}

/**
 * Locks the order first, like everybody who changes its outcome. Only then is it certain that the order still waits.
 */
async function lockWaiting(
  tx: StoreCtx,
  checkoutId: string,
): Promise<{ order: Order; payment: ServicePayment } | undefined> {
  const order = await lockOrder(tx.db, checkoutId)
  const settled = order && (await findUnauthorized(tx.db, checkoutId))
  if (!settled) return undefined
  const { blockHash, payer, amountRaw } = settled
  return { order, payment: { checkoutId, plan: null, blockHash, payer, amountRaw, at: tx.clock.now() } }
}

async function conclude(
  { isExchange, onRefund }: Settlement,
  tx: StoreCtx,
  { order, payment, given }: { order: Order; payment: ServicePayment; given: Fulfilment },
): Promise<() => void> {
  const { blockHash, payer, amountRaw } = payment
  const { kind, accountId } = order
  if (given === 'unauthorized') {
    await updateSettled(tx.db, blockHash, { outcome: 'unauthorized', reason: null, what: null, accountId })
    await audit(tx, payment, { kind, accountId, what: 'order.unauthorized' })
    return () => undefined
  }
  if (!('refund' in given)) {
    const { what, afterCommit } = given
    const buyer = given.accountId ?? accountId
    await updateSettled(tx.db, blockHash, { outcome: 'applied', reason: null, what, accountId: buyer })
    await audit(tx, payment, { kind, accountId: buyer, what: 'order.applied' })
    return () => afterCommit?.()
  }
  const outcome = isExchange(payer) ? 'held' : 'refunded'
  await updateSettled(tx.db, blockHash, { outcome, reason: given.refund, what: null, accountId })
  await audit(tx, payment, { kind, accountId, what: `order.${outcome}` })
  if (outcome === 'held') return () => undefined
  const walletId = await queueRefund(tx, { blockHash, destination: payer, amountRaw })
  return () => onRefund(walletId)
}

function audit(
  tx: StoreCtx,
  { checkoutId, blockHash, payer }: ServicePayment,
  { kind, accountId, what }: { kind: string; accountId: string | null; what: string },
): Promise<unknown> {
  return insertAudit(tx, { actor: actorOf.payer(payer), accountId, what, detail: { kind, checkoutId, blockHash } })
}

function giverOf({ fulfil }: Settlement, kind: string): Fulfil {
  const giver = fulfil(kind)
  if (!giver) throw new Error(`No module delivers what is sold as ${kind}.`)
  return giver
}

/** Queues a refund from the treasury; the block it refunds is its reference, so there is only one. */
export async function queueRefund(
  tx: StoreCtx,
  { blockHash, destination, amountRaw }: Pick<ServicePayment, 'blockHash' | 'amountRaw'> & { destination: string },
): Promise<string> {
  const treasury = await findServiceWallet(tx.db, 'treasury')
  if (!treasury) throw new Error('A payment for the treasury arrived, but there is no treasury.')
  const payment = { walletId: treasury.id, destination, amount: amountRaw, reference: refundReference(blockHash) }
  await queuePayment({ db: tx.db, store: tx }, { ...payment, purpose: 'sale_refund' })
  return treasury.id
}

export const refundReference = (blockHash: string) => `refund:${blockHash}`

/** How long a payment waits for the owner's approval. */
export const AUTHORIZE_WITHIN = 24 * 3_600_000
const PAGE = 100

/** Refunds payments that waited too long, in one transaction each; the next run continues where this one stops. */
export async function giveUpWaiting(settlement: Settlement, ctx: StoreCtx): Promise<void> {
  const faults: unknown[] = []
  for (const id of await listUnauthorized(ctx.db, ctx.clock.now() - AUTHORIZE_WITHIN, PAGE)) {
    try {
      const afterCommit = await inTx(ctx, (tx) => giveUpOrder(settlement, tx, id))
      afterCommit()
    } catch (error) {
      // One failing refund must not stop the others; its error is thrown at the end.
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
}
