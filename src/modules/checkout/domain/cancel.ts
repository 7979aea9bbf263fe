import { type Actor } from '../../../kernel/actor.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import type { CheckoutRoom } from '../room.ts'
import { checkoutNotFound } from '../errors.ts'
import { markHidden } from '../changes-store.ts'
import { type Checkout, OPEN_STATUSES } from '../record.ts'
import { lockCheckout } from '../store.ts'
import { enqueueSweep } from './credit.ts'
import { audit } from './mark.ts'
import { moveCheckout } from './move.ts'

/**
 * Gives an open checkout up and hides the rest from lists. The record stays: reports count it, and money that still
 * comes is recorded (contract 4.5, rule 8).
 */
export async function deleteCheckout(
  ctx: CheckoutRoom,
  { id, owner, actor }: { id: string; owner: string; actor: Actor },
): Promise<Checkout> {
  const deleted = await inTx(ctx, async (tx) => {
    const held = await lockCheckout(tx.db, id)
    if (!held || held.owner !== owner) throw checkoutNotFound()
    const isOpen = OPEN_STATUSES.some((status) => status === held.status)
    const moved = await moveCheckout(
      tx,
      held,
      isOpen ? { reason: 'cancelled', status: 'cancelled', detected: null, detectedAt: null } : { reason: 'hidden' },
    )
    if (isOpen) await enqueueSweep(tx, moved)
    if (!isOpen) await markHidden(tx.db, id, tx.clock.now())
    await audit(tx, { actor, owner, what: isOpen ? 'checkout.cancelled' : 'checkout.hidden', detail: { id } })
    return moved
  })
  ctx.ports.tell(id)
  return deleted
}
