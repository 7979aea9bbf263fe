import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { deleteOldEvents, forgetBodies } from '../store.ts'

const DAY = 86_400_000
const BODIES_KEPT = 30 * DAY
const ROWS_KEPT = 90 * DAY
const BATCH_MAX = 200
/** What is left over is for the next hour. */
const BATCHES_MAX = 500

/** Forgets bodies after 30 days and everything else after 90. What is still on its way stays. */
export async function forgetOld(ctx: StoreCtx): Promise<void> {
  const now = ctx.clock.now()
  await forgetBodies(ctx.db, now - BODIES_KEPT)
  for (let batches = 0; batches < BATCHES_MAX; batches++) {
    const deleted = await inTx(ctx, ({ db }) => deleteOldEvents(db, now - ROWS_KEPT, BATCH_MAX))
    if (deleted < BATCH_MAX) return
  }
}
