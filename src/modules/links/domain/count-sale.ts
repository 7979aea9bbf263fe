import { type Checkout, type LinkSales, OPEN_STATUSES } from '../../checkout/index.ts'
import { findOrder } from '../orders-store.ts'
import { moveStock } from '../store.ts'
import { renewSubscription } from '../subscriptions/follow.ts'

/** How a checkout counts for its link: pieces are held while it is open, sold once it is paid, and released when it ends. */
function standingOf({ status, paidRaw, priceE8 }: Checkout, quantity: number) {
  const isSold = status === 'complete'
  return {
    held: OPEN_STATUSES.some((open) => open === status) ? quantity : 0,
    sold: isSold ? quantity : 0,
    orders: isSold ? 1 : 0,
    raw: isSold ? paidRaw : 0n,
    e8: isSold ? (priceE8 ?? 0n) : 0n,
  }
}

/** Updates a link's counts in the transaction that changes its checkout, so that a crash cannot separate them. */
export const countSale: LinkSales['moved'] = async (tx, before, after) => {
  const { db } = tx
  const order = await findOrder(db, after.id)
  if (!order) return
  const { quantity, subscriptionId } = order
  const [was, is] = [standingOf(before, quantity), standingOf(after, quantity)]
  const change = {
    held: is.held - was.held,
    sold: is.sold - was.sold,
    orders: is.orders - was.orders,
    raw: is.raw - was.raw,
    e8: is.e8 - was.e8,
  }
  // Updates the link before any event is recorded, as every sale does: events lock the account's position, and two transactions that lock
  // the two rows in opposite orders would deadlock.
  if (Object.values(change).some((part) => BigInt(part) !== 0n)) await moveStock(db, { id: after.keyId!, ...change })
  if (subscriptionId !== null && after.status === 'complete' && before.status !== 'complete') {
    await renewSubscription(tx, subscriptionId, after)
  }
}
