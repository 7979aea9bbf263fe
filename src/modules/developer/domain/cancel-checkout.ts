import { type Checkout, type CheckoutCtx, deleteCheckout, getCheckout } from '../../checkout/index.ts'

/** Gives a checkout up as its merchant would, whoever that is. */
export async function cancelCheckout(ctx: CheckoutCtx, given: string): Promise<Checkout> {
  const { id, owner } = await getCheckout(ctx, given)
  return deleteCheckout(ctx, { id, owner, actor: 'developer' })
}
