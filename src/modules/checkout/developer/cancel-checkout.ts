import { actorOf } from '../../../kernel/actor.ts'
import type { CheckoutRoom } from '../room.ts'
import { deleteCheckout } from '../domain/cancel.ts'
import { getCheckout } from '../domain/show.ts'
import type { Checkout } from '../record.ts'

/** Gives a checkout up as its merchant would, without being it. */
export async function cancelCheckout(ctx: CheckoutRoom, given: string): Promise<Checkout> {
  const { id, owner } = await getCheckout(ctx, given)
  return deleteCheckout(ctx, { id, owner, actor: actorOf.service('developer') })
}
