import type { CheckoutRoom } from './room.ts'
import type { Checkout } from './record.ts'

/** The room that makes checkouts from links. Checkouts call it, because they stand below links. */
export interface LinkSales {
  /** A checkout of a link has changed, inside the transaction that changes it. Writes to the store alone. */
  moved(tx: CheckoutRoom, before: Checkout, after: Checkout): Promise<void>
}
