import type { CheckoutRoom } from '../room.ts'
import { endEarly } from '../domain/end-early.ts'
import { getCheckout } from '../domain/show.ts'
import type { Checkout } from '../record.ts'

/** Ends a checkout now instead of tomorrow. */
export async function expireCheckout(ctx: CheckoutRoom, given: string): Promise<Checkout> {
  const { id } = await getCheckout(ctx, given)
  return endEarly(ctx, id)
}
