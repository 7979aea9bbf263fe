import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { listStuck } from '../deliveries-store.ts'
import { reviveReplays } from '../endpoints/replay.ts'
import { enqueueRevival } from './wake-delivery.ts'

/** Longer than an attempt, its lease and a busy host's queue together. */
const STUCK_AFTER = 15 * 60_000
const BATCH_MAX = 500

/** Queues jobs again for deliveries and replays whose job was lost, for instance because the process died at every attempt of it. */
export async function reviveStuck(ctx: StoreCtx): Promise<void> {
  await inTx(ctx, async (tx) => {
    const stuck = await listStuck(tx.db, tx.clock.now() - STUCK_AFTER, BATCH_MAX)
    for (const delivery of stuck) await enqueueRevival(tx, delivery)
    await reviveReplays(tx)
  })
}
