import { type Checkout, type CheckoutCtx, endEarly, getCheckout } from '../../checkout/index.ts'

/** Ends a checkout now instead of tomorrow. */
export async function expireCheckout(ctx: CheckoutCtx, given: string): Promise<Checkout> {
  const { id } = await getCheckout(ctx, given)
  return endEarly(ctx, id)
}
