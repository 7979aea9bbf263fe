import type { JsonObject } from '../../../kernel/shape.ts'
import type { Db } from '../../../kernel/db.ts'
import type { OrderStanding } from '../../checkout/index.ts'
import { findPayment } from '../../wallets/index.ts'
import { type SettledPayment, findOrder, listSettledOf } from '../store.ts'
import { AUTHORIZE_WITHIN, type RefundReason, refundReference } from './settle.ts'

/** Updates this instance's memory after a delivery, before anybody is notified of it. */
export type Learn = (given: SettledPayment) => void | Promise<void>

/** Reasons of refunds as text, in `check` and on the page. */
const WHY: Readonly<Record<RefundReason, string>> = {
  already_paid: 'This offer has already been paid.',
  name_taken: 'This name is already taken.',
  not_the_owner: 'This name now belongs to someone else.',
  name_not_leased: 'This name is no longer leased.',
  not_authorized: 'This change was not authorised by the owner.',
  unmatched: 'This payment does not match an offer.',
}

/**
 * The state of an order, for callers that know its checkout: `waiting`, `unauthorized` until its owner approves, `applied`, `refunded`, or `held`
 * until the operator has decided. Only the buyer learns who bought it.
 */
export async function describeOrder(db: Db, checkoutId: string, learn?: Learn): Promise<OrderStanding | undefined> {
  const order = await findOrder(db, checkoutId)
  if (!order) return undefined
  const payments = await listSettledOf(db, checkoutId)
  const applied = payments.find(({ outcome }) => outcome === 'applied')
  if (applied) await learn?.(applied)
  const waiting = payments.find(({ outcome }) => outcome === 'unauthorized')
  const returned = payments.filter(({ outcome }) => outcome === 'refunded' || outcome === 'held')
  const refunds = await Promise.all(returned.map((payment) => describeRefund(db, payment)))
  const counted = applied ?? waiting
  const [first] = counted ? [] : returned
  const outcome = (counted ?? first)?.outcome ?? 'waiting'
  const { kind, detail } = order
  const shown = {
    kind,
    ...(typeof detail.name === 'string' && { name: detail.name }),
    status: outcome,
    ...(applied?.what && { what: applied.what }),
    ...(waiting && { authorize_by_unix: Math.floor((waiting.createdAt + AUTHORIZE_WITHIN) / 1000) }),
    ...(first && { reason: first.reason }),
    ...(refunds.length > 0 && { refunds: refunds.map((refund) => refund.shown) }),
  }
  return {
    outcome,
    shown,
    ...(counted && { block: { hash: counted.blockHash, account: counted.payer, amountRaw: counted.amountRaw } }),
    ...(first && { refund: refunds[0]!.refund }),
  }
}

interface Refund {
  shown: JsonObject
  refund: NonNullable<OrderStanding['refund']>
}

async function describeRefund(db: Db, { blockHash, amountRaw, outcome, reason }: SettledPayment): Promise<Refund> {
  const sent = await findPayment(db, refundReference(blockHash))
  const hash = sent?.hash ?? null
  const back =
    outcome === 'held'
      ? 'The payment is held until the operator knows where to return it.'
      : 'The payment is being returned.'
  return {
    shown: {
      block: blockHash,
      amount_raw: amountRaw.toString(),
      status: outcome,
      reason,
      // Known once the block is signed; it may not be broadcast yet.
      ...(hash !== null && { refund_hash: hash }),
    },
    refund: {
      error: `${WHY[(reason ?? 'unmatched') as RefundReason]} ${back}`,
      hash,
      address: sent?.destination ?? null,
      amountRaw,
    },
  }
}
