import type { OrderStanding } from '../service-sales.ts'
import type { CheckoutRoom } from '../room.ts'
import { type Checkout, SERVICE } from '../record.ts'

interface Ordered {
  checkout: Checkout
  /** Of what the service sells itself. */
  order: OrderStanding | undefined
}

/**
 * A checkout as it is shown. In the store `complete` says that the money came; to the buyer of something of the service
 * it must say that it was given: money that went back, or waits for an owner's word, completes nothing.
 */
export async function asOrdered({ db, ports }: CheckoutRoom, checkout: Checkout): Promise<Ordered> {
  const order = checkout.owner === SERVICE ? await ports.sales.describe(db, checkout.id) : undefined
  if (!order || checkout.status !== 'complete') return { checkout, order }
  const { outcome, block } = order
  if (outcome === 'refunded' || outcome === 'held') return { order, checkout: { ...checkout, status: 'refunded' } }
  // The payer should not pay once more, and the shop may not take it for done.
  if (outcome === 'unauthorized') return { order, checkout: { ...checkout, status: 'detected', detected: block } }
  if (!block || block.hash === checkout.blockHash) return { order, checkout }
  // An earlier payment of another payer completed it, and went back.
  const plan = checkout.plans.findIndex(({ amountRaw }) => amountRaw === block.amountRaw)
  const paid = { blockHash: block.hash, payer: block.account, paidRaw: block.amountRaw, plan }
  return { order, checkout: { ...checkout, ...paid } }
}
