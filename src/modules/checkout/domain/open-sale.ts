import { type Raw, formatNano } from '../../../kernel/money.ts'
import type { CheckoutContext } from '../context.ts'
import { type Checkout, SERVICE } from '../record.ts'
import type { CheckoutRequest } from '../wire-fields.ts'
import { store, toDraft } from './open.ts'

/** Something that the service itself sells. */
interface Sale {
  title: string
  description: string
  /** Prices from which the buyer chooses. */
  plans: readonly { title: string; price: Raw }[]
  successUrl: string | null
  /** Stores what is sold, in the transaction that makes the checkout. */
  alongside(tx: CheckoutContext, checkout: Checkout): Promise<void>
}

/**
 * Makes a checkout of the service itself, paid to the treasury by unique amounts. When its payment is recorded, the port `sales`
 * delivers what was bought in the same transaction.
 */
export async function openSale(ctx: CheckoutContext, sale: Sale): Promise<Checkout> {
  const { title, description, plans, successUrl, alongside } = sale
  const address = await ctx.ports.treasuryAddress()
  const request: CheckoutRequest & { address: string } = {
    address,
    currency: 'NANO',
    price: undefined,
    plans: plans.map((plan) => ({
      title: plan.title,
      price: { kind: 'nano', text: formatNano(plan.price), raw: plan.price },
      discount: false,
    })),
    mode: 'unique_amount',
    template: undefined,
    order: undefined,
    title,
    description,
    successUrl,
  }
  const seen = await ctx.ports.look(address)
  return store(ctx, toDraft(ctx, { owner: SERVICE, keyId: null }, request), request, {
    seen,
    namedBy: 'secret-key',
    alongside,
  })
}
