import { STEP_ROWS } from '../../../kernel/retention.ts'
import { type Place, deleteUnpaid, lockUnpaid } from '../forget-store.ts'
import { type CheckoutRoom, inQuietTx } from '../room.ts'

/**
 * Forgets what strangers have asked for and nobody has paid: checkouts without a key, and offers of the service. Not before
 * their watch is over, after which no payment is matched with them, and never where a payment was recorded. Each step goes on
 * behind the last one, so that what has to stay is passed over once.
 */
export async function forgetUnpaid(
  ctx: CheckoutRoom,
  { watchedBefore, signal }: { watchedBefore: number; signal: AbortSignal },
): Promise<void> {
  let after: Place | undefined
  while (!signal.aborted) {
    const held = await inQuietTx(ctx, async (tx) => {
      const old = await lockUnpaid(tx.db, tx.ports.engine, { watchedBefore, after, limit: STEP_ROWS })
      const gone = await deleteUnpaid(
        tx.db,
        old.map(({ id }) => id),
      )
      await tx.ports.sales.forget(tx.db, gone)
      return old
    })
    after = held.at(-1)
    if (held.length < STEP_ROWS) return
  }
}
