import type { Failures } from './failures.ts'
import type { Clock, Ids, Random } from './ports.ts'
import type { Db } from './db.ts'

/** What a verb that changes the store works with. */
export interface StoreCtx {
  db: Db
  clock: Clock
  ids: Ids
  random: Random
  /** Tells the job runner that something may be due. */
  wakeJobs(): void
  failures: Failures
}

/** Runs a verb in one transaction and wakes the runner once it is committed. No network inside. */
export async function inTx<C extends StoreCtx, T>(ctx: C, run: (ctx: C) => Promise<T>): Promise<T> {
  const result = await ctx.db.transaction().execute((tx) => run({ ...ctx, db: tx }))
  ctx.wakeJobs()
  return result
}
