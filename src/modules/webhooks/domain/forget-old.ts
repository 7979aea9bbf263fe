import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { type Retention, inSteps } from '../../../kernel/retention.ts'
import { deleteOldReplays } from '../endpoints/replays-store.ts'
import { deleteOldEvents, forgetBodies } from '../store.ts'

export type EventsKept = Pick<Retention, 'keepEventBodies' | 'keepEvents'>

/** Deletes bodies first and whole events later. Events with open deliveries stay. */
export async function forgetOld(
  ctx: StoreCtx,
  { keepEventBodies, keepEvents }: EventsKept,
  signal: AbortSignal,
): Promise<void> {
  const now = ctx.clock.now()
  if (keepEventBodies !== undefined) {
    await inSteps((limit) => forgetBodies(ctx.db, now - keepEventBodies, limit), signal)
  }
  if (keepEvents !== undefined) {
    await deleteOldReplays(ctx.db, now - keepEvents)
    await inSteps((limit) => inTx(ctx, ({ db }) => deleteOldEvents(db, now - keepEvents, limit)), signal)
  }
}
