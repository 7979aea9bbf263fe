import { type CheckoutRoom, inQuietTx } from '../room.ts'
import { checkoutClosed, checkoutNotFound } from '../errors.ts'
import { updateExpiry } from '../changes-store.ts'
import { type Checkout, OPEN_STATUSES } from '../record.ts'
import { lockCheckout } from '../store.ts'
import { hastenScans } from '../watch-store.ts'
import { CATCH_UP_MARGIN } from './expire.ts'
import { moveCheckout } from './move.ts'

/** Nodes tell whole seconds, so that a block made now may carry an earlier time. */
const WHOLE_SECONDS = 2_000

/**
 * Moves the end of an open checkout into the past, for trying out what happens then: the next look at the ledger ends
 * it, and what is paid from now on is late.
 */
export async function endEarly(ctx: CheckoutRoom, id: string): Promise<Checkout> {
  const now = ctx.clock.now()
  const ended = await inQuietTx(ctx, async (tx) => {
    const held = await lockCheckout(tx.db, id)
    if (!held) throw checkoutNotFound()
    if (!OPEN_STATUSES.some((status) => status === held.status)) throw checkoutClosed(held.status)
    const expiresAt = Math.min(held.expiresAt, now - CATCH_UP_MARGIN - WHOLE_SECONDS)
    await updateExpiry(tx.db, id, expiresAt)
    return moveCheckout(tx, { ...held, expiresAt }, { reason: 'ended early by a developer' })
  })
  await lookSoon(ctx, ended.address)
  ctx.ports.tell(id)
  return ended
}

/** The next look at an address is now, however lately one was asked for. */
export async function lookSoon({ db, clock }: CheckoutRoom, address: string): Promise<void> {
  await hastenScans(db, [address], clock.now())
}
