import { type Checkout, findBuyer, findCheckout } from '../../checkout/index.ts'
import { linkNotFound } from '../errors.ts'
import { findOrder } from '../orders-store.ts'
import type { LinkContext } from '../context.ts'
import { type PaymentLink, paymentLinks } from '../payment-link.ts'
import { findSubscription } from '../subscriptions/store.ts'
import { type Chosen, isGift } from './order-body.ts'
import { buyerOf, getOffer, orderChosen, readStatus } from './order.ts'

/** Whether nobody has paid anything, and nobody will any more. */
const isLapsed = ({ status, additional, paidRaw }: Checkout) =>
  status === 'expired' && additional !== 'paid_late' && paidRaw === 0n

/** The address that starts an expired order again. */
export async function againAt(context: LinkContext, checkout: Checkout): Promise<string | undefined> {
  if (!isLapsed(checkout)) return undefined
  const link = await paymentLinks.findOwn(context.checkouts.db, { id: checkout.keyId!, owner: checkout.owner })
  return link && (await readStatus(context, link)) === 'active' ? `/buy/${link.slug}/again` : undefined
}

/**
 * Makes the same order again at today's price, with the same plan, number of pieces and buyer. Undefined where the payer has to choose
 * again: the amount was theirs, or the offer has changed.
 */
export async function orderAgain(
  context: LinkContext,
  slug: string,
  { checkoutId, visitor }: { checkoutId: string; visitor: string },
): Promise<Checkout | undefined> {
  const { db } = context.checkouts
  const link = await getOffer(context, slug)
  const checkout = await findCheckout(db, checkoutId)
  const order = checkout?.keyId === link.id ? await findOrder(db, checkout.id) : undefined
  if (!checkout || !order) throw linkNotFound()
  if (!isLapsed(checkout)) return checkout
  const chosen = chosenOf(link, checkout, order.quantity)
  const subscription = order.subscriptionId === null ? undefined : await findSubscription(db, order.subscriptionId)
  const isGone = (subscription === undefined) !== (link.every === null) || subscription?.status === 'ended'
  if (!chosen || isGone) return undefined
  const buyer = await findBuyer(db, checkout.id)
  const { email = null, language = 'en' } = subscription ?? buyer ?? {}
  return orderChosen(context, link, {
    chosen,
    token: `again ${checkout.id}`,
    visitor,
    ...(subscription && { renews: subscription.id }),
    ...(email !== null && { receipt: { email, language } }),
  })
}

function chosenOf(link: PaymentLink, { metadata, invoice }: Checkout, quantity: number): Chosen | undefined {
  const { plan: named } = (metadata.payment_link ?? {}) as { plan?: unknown }
  const plan = named === undefined ? undefined : link.plans.findIndex(({ title }) => title === named)
  const isOther = plan === -1 || (plan === undefined) !== (link.plans.length === 0)
  const isMissing = quantity > link.quantityMax || (link.invoice?.buyer === 'required' && !invoice?.buyer)
  return isOther || isMissing || isGift(link)
    ? undefined
    : { quantity, plan, amount: undefined, buyer: buyerOf(invoice) }
}
