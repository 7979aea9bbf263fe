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

/** Why money goes back. Part of the answers. */
export type RefundReason =
  | 'already_paid'
  | 'name_taken'
  | 'not_the_owner'
  | 'name_not_leased'
  /** Paid, and whose it is has said nothing for a day. */
  | 'not_authorized'
  /** The operator sends back what fitted nothing. */
  | 'unmatched'

/** What was given for a payment, or why nothing can be. */
type Fulfilment =
  /** `what` is for people to read; `told` is called once it is committed. */
  | { what: string; accountId?: string; told?: () => void }
  | { refund: RefundReason }
  /** Nothing yet: whose it is has to say so first. */
  | 'unauthorized'

/** Gives what an order sells, in the transaction of its payment. Writes to the store alone; applied once for each block. */
export type Fulfil = (tx: StoreCtx, order: Order, payment: ServicePayment) => Promise<Fulfilment>

export interface Settlement {
  /** Who gives what orders of a kind sell. */
  fulfil(kind: string): Fulfil | undefined
  /** Whether what is sent to an address reaches an exchange and not its payer. */
  isExchange(address: string): boolean
  /** A refund waits in the treasury. */
  onRefund(walletId: string): void
}

/**
 * What a payment to the service brings about: what was sold, or the whole amount back to where it came from, once for
 * each block. Everything is in the transaction that records the payment, so that a crash leaves all of it or nothing.
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
  // Only what was given counts: money of a payer who had no right to it must not use an owner's offer up.
  const isPaid = await isPaidFor(tx.db, checkoutId)
  const isFirst = await insertSettled(tx.db, { ...settled, outcome: 'applied', reason: null, what: null })
  if (!isFirst) return () => undefined
  const given = isPaid ? ({ refund: 'already_paid' } as const) : await giverOf(settlement, kind)(tx, order, payment)
  return conclude(settlement, tx, { order, payment, given })
}

/** The owner has said what a paid order waited for: it is judged again, in the transaction that writes that down. */
export async function resumeOrder(settlement: Settlement, tx: StoreCtx, checkoutId: string): Promise<() => void> {
  const waiting = await lockWaiting(tx, checkoutId)
  if (!waiting) return () => undefined
  const { order, payment } = waiting
  const given = await giverOf(settlement, order.kind)(tx, order, payment)
  return conclude(settlement, tx, { order, payment, given })
}

/** The owner has not said it in time. */
async function giveUpOrder(settlement: Settlement, tx: StoreCtx, checkoutId: string): Promise<() => void> {
  const waiting = await lockWaiting(tx, checkoutId)
  if (!waiting) return () => undefined
  return conclude(settlement, tx, { ...waiting, given: { refund: 'not_authorized' } })
}

/** The order first, as everybody does who changes what became of it: only then is it known whether it still waits. */
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
    const { what, told } = given
    const buyer = given.accountId ?? accountId
    await updateSettled(tx.db, blockHash, { outcome: 'applied', reason: null, what, accountId: buyer })
    await audit(tx, payment, { kind, accountId: buyer, what: 'order.applied' })
    return () => told?.()
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
  if (!giver) throw new Error(`Nobody knows how to give what is sold as ${kind}.`)
  return giver
}

/** Queues a refund from where payments are collected; the block it is for makes it the only one. */
export async function queueRefund(
  tx: StoreCtx,
  { blockHash, destination, amountRaw }: Pick<ServicePayment, 'blockHash' | 'amountRaw'> & { destination: string },
): Promise<string> {
  const treasury = await findServiceWallet(tx.db, 'treasury')
  if (!treasury) throw new Error('There is no treasury, and yet somebody has paid to it.')
  const payment = { walletId: treasury.id, destination, amount: amountRaw, reference: refundReference(blockHash) }
  await queuePayment({ db: tx.db, store: tx }, { ...payment, purpose: 'sale_refund' })
  return treasury.id
}

export const refundReference = (blockHash: string) => `refund:${blockHash}`

/** How long a payment waits for the word of whose it is about. */
export const AUTHORIZE_WITHIN = 24 * 3_600_000
const PAGE = 100

/** Sends back what has waited too long, one transaction for each; the next run takes up what this one did not reach. */
export async function giveUpWaiting(settlement: Settlement, ctx: StoreCtx): Promise<void> {
  const faults: unknown[] = []
  for (const id of await listUnauthorized(ctx.db, ctx.clock.now() - AUTHORIZE_WITHIN, PAGE)) {
    try {
      const told = await inTx(ctx, (tx) => giveUpOrder(settlement, tx, id))
      told()
    } catch (error) {
      // One that cannot be sent back must not keep the others from it; the round fails at its end.
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
}
