import { inTx } from '../../../kernel/in-tx.ts'
import type { CheckoutRoom } from '../room.ts'
import { listOverdue, lockCheckout } from '../store.ts'
import { findScannedAt } from '../watch-store.ts'
import { enqueueSweep } from './credit.ts'
import { announce } from './events.ts'
import { moveCheckout } from './move.ts'

/** What the node answers may be a moment old; a look counts only when it began this long after the end. */
export const CATCH_UP_MARGIN = 3_000
const BATCH_MAX = 1_000

/**
 * Ends the checkouts of an address whose time is over. Only a complete look at the ledger that began after their end
 * makes that safe: what was paid in time, while we did not listen, has been credited by then (contract 3, rule 5).
 */
export async function expireOverdue(ctx: CheckoutRoom, address: string): Promise<number> {
  const scannedAt = await findScannedAt(ctx.db, address)
  if (scannedAt === undefined) return 0
  const expiresBefore = scannedAt - CATCH_UP_MARGIN
  let expired = 0
  for (const id of await listOverdue(ctx.db, { address, expiresBefore, limit: BATCH_MAX })) {
    const won = await inTx(ctx, async (tx) => {
      const held = await lockCheckout(tx.db, id)
      if (!held || held.expiresAt > expiresBefore) return false
      if (held.status !== 'pending' && held.status !== 'partial') return false
      const moved = await moveCheckout(tx, held, { reason: 'expired', status: 'expired' })
      await announce(tx, moved, { type: 'checkout.expired', dedupeKey: 'expired' })
      // What came, or still comes, is the merchant's all the same: a wallet that has ended passes everything on.
      await enqueueSweep(tx, moved)
      return true
    })
    if (!won) continue
    expired++
    ctx.ports.tell(id, 'checkout.expired')
  }
  return expired
}
