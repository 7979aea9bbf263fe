import { type StoreCtx, inTx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import type { NodePort } from '../../kernel/ports.ts'
import { DAY, readOnline } from './representative-list.ts'
import { addLook, deleteOldLooks } from './store.ts'

const KEPT_DAYS = 60

/** Looks once a minute who is online, on one instance at a time: uptimes come from these looks. */
export const lookAtReps = (ctx: StoreCtx, node: NodePort): Job => ({
  kind: 'reps.look',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 30_000,
  everyMilliseconds: 60_000,
  async run() {
    const online = await readOnline(node)
    const day = Math.floor(ctx.clock.now() / DAY)
    await inTx(ctx, async ({ db }) => {
      await addLook(db, day, online)
      await deleteOldLooks(db, day - KEPT_DAYS)
    })
  },
})
