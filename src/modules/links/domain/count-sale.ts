import { type Checkout, type LinkSales, OPEN_STATUSES } from '../../checkout/index.ts'
import { findOrder } from '../orders-store.ts'
import { moveStock } from '../store.ts'
import { renewSubscription } from '../subscriptions/follow.ts'

/** What a checkout has of its link: pieces held while it is open, sold once it is paid, given back when it ends. */
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

/** Follows a checkout of a link in the transaction that moves it, so that no crash comes between. */
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
  // The link before anything that is announced, as in every sale: events lock the account's position in its list, and two transactions that
  // take these two in opposite orders would wait for each other.
  if (Object.values(change).some((part) => BigInt(part) !== 0n)) await moveStock(db, { id: after.keyId!, ...change })
  if (subscriptionId !== null && after.status === 'complete' && before.status !== 'complete') {
    await renewSubscription(tx, subscriptionId, after)
  }
}
