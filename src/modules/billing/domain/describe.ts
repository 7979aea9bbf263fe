import type { JsonObject } from '../../../kernel/shape.ts'
import type { Db } from '../../../kernel/tables/index.ts'
import { findPayment } from '../../wallets/index.ts'
import { type SettledPayment, findOrder, listSettledOf } from '../store.ts'
import { refundReference } from './settle.ts'

/** Makes what was given usable here, before anybody hears that it was. */
export type Learn = (given: SettledPayment) => void | Promise<void>

/**
 * What became of an order, for whoever knows its checkout: `waiting`, `applied`, `refunded`, or `held` until the operator
 * has looked at it. Who bought it is nobody else's business.
 */
export async function describeOrder(db: Db, checkoutId: string, learn?: Learn): Promise<JsonObject | undefined> {
  const order = await findOrder(db, checkoutId)
  if (!order) return undefined
  const payments = await listSettledOf(db, checkoutId)
  const applied = payments.find(({ outcome }) => outcome === 'applied')
  const [first] = payments
  if (applied) await learn?.(applied)
  const refunds: JsonObject[] = []
  for (const payment of payments) if (payment.outcome !== 'applied') refunds.push(await describeRefund(db, payment))
  const { kind, detail } = order
  return {
    kind,
    ...(typeof detail.name === 'string' && { name: detail.name }),
    status: applied?.outcome ?? first?.outcome ?? 'waiting',
    ...(applied?.what && { what: applied.what }),
    ...(!applied && first && { reason: first.reason }),
    ...(refunds.length > 0 && { refunds }),
  }
}

async function describeRefund(db: Db, payment: SettledPayment): Promise<JsonObject> {
  const { blockHash, amountRaw, outcome, reason } = payment
  const sent = await findPayment(db, refundReference(blockHash))
  return {
    block: blockHash,
    amount_raw: amountRaw.toString(),
    status: outcome,
    reason,
    // Known once it is signed; it may be on its way still.
    ...(sent?.hash && { refund_hash: sent.hash }),
  }
}
