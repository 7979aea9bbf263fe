import { type CheckoutCtx, inQuietTx } from '../ctx.ts'
import { badField, checkoutClosed, checkoutNotFound } from '../errors.ts'
import { countReservationsOf } from '../reservations-store.ts'
import { type Checkout, NO_PLAN, OPEN_STATUSES, lockCheckout } from '../store.ts'
import { readPrice } from '../wire-fields.ts'
import { moveCheckout } from './move.ts'
import { reserveNear } from './reserve.ts'

/** How often payers may change their mind before the amounts they left behind are too many. */
const CHOICES_MAX = 20

/** The payer says how much, where the merchant has not: a unique amount near it is reserved from then on. */
export async function chooseAmount(ctx: CheckoutCtx, id: string, amount: unknown): Promise<Checkout> {
  const price = readPrice('amount', amount, 'NANO')
  if (price?.kind !== 'nano') throw badField('amount', 'Invalid amount number', 'invalid_amount')
  const chosen = await inQuietTx(ctx, async (tx) => {
    const held = await lockCheckout(tx.db, id)
    if (!held) throw checkoutNotFound()
    if (!OPEN_STATUSES.some((status) => status === held.status)) throw checkoutClosed(held.status)
    if (held.mode !== 'unique_amount' || held.price !== null || held.plans.length > 0) {
      throw badField('amount', 'This checkout has its own price.', 'invalid_amount')
    }
    if ((await countReservationsOf(tx.db, id)) >= CHOICES_MAX) {
      throw badField('amount', `An amount may be chosen ${CHOICES_MAX} times.`, 'invalid_amount')
    }
    const amountRaw = await reserveNear(tx, held, { price: price.raw, plan: NO_PLAN, quote: null })
    return moveCheckout(tx, held, { amountRaw, reason: 'amount chosen by the payer' })
  })
  ctx.till.tell(id)
  return chosen
}
