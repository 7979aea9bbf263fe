import { formatNano } from '../../../kernel/money.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { checkoutNotFound } from '../errors.ts'
import type { CheckoutRoom } from '../room.ts'
import { findOwnCheckout } from '../store.ts'
import { followRefund, isOver } from './follow.ts'
import { showRefund } from './shape.ts'
import { type Refund, listRefunds } from './store.ts'
import { refundable } from './terms.ts'

/** The refunds of a checkout as they stand at this moment, oldest first. */
export async function readRefunds(ctx: CheckoutRoom, checkoutId: string): Promise<Refund[]> {
  const refunds = await listRefunds(ctx.db, [checkoutId])
  return Promise.all(refunds.map(async (refund) => (isOver(refund) ? refund : followRefund(ctx, refund.id))))
}

/** The same for the merchant, with what is left; `owner` undefined is an administrator. */
export async function showRefunds(
  ctx: CheckoutRoom,
  { id, owner }: { id: string; owner: string | undefined },
): Promise<JsonObject> {
  if (!(await findOwnCheckout(ctx.db, { id, owner }))) throw checkoutNotFound()
  const refunds = await readRefunds(ctx, id)
  const left = refundable((await findOwnCheckout(ctx.db, { id, owner }))!)
  return {
    refunds: refunds.map((refund) => showRefund(ctx.ports, refund)),
    refundable: formatNano(left),
    refundable_raw: left.toString(),
  }
}
