import type { Failures } from './failures.ts'
import type { Clock, Ids, Random } from './ports.ts'
import type { Db } from './db.ts'
import type { Permission } from './roles.ts'
import type { Traces } from './traces.ts'

/** What a domain function that changes the store works with. */
export interface StoreCtx {
  db: Db
  clock: Clock
  ids: Ids
  random: Random
  /** Tells the job runner that something may be due. */
  wakeJobs(): void
  /**
   * Says that something of an account has changed, by the permissions of those who may see it: their open pages look again. In a
   * transaction of `inTx` it is said once that is committed.
   */
  tellAccount(accountId: string, about: readonly Permission[]): void
  failures: Failures
  /** Unset where the operator wants none. */
  traces?: Traces | undefined
}

/** Runs a domain function in one transaction and wakes the runner once it is committed. No network inside. */
export async function inTx<C extends StoreCtx, T>(ctx: C, run: (ctx: C) => Promise<T>): Promise<T> {
  const result = await inTellingTx(ctx, run)
  ctx.wakeJobs()
  return result
}

/** The same for one that adds no jobs. Notices to accounts wait for the commit: before it their pages would find nothing new. */
export async function inTellingTx<C extends StoreCtx, T>(ctx: C, run: (ctx: C) => Promise<T>): Promise<T> {
  const told: Parameters<StoreCtx['tellAccount']>[] = []
  const tellAccount: StoreCtx['tellAccount'] = (...what) => void told.push(what)
  const result = await ctx.db.transaction().execute((tx) => run({ ...ctx, db: tx, tellAccount }))
  for (const what of told) ctx.tellAccount(...what)
  return result
}

/**
 * Statements of one transaction that need nothing of one another, asked at once. When one fails, all have been answered before
 * anybody hears of it: whatever came after the end of the transaction would be none of it.
 */
export async function together<const T extends readonly Promise<unknown>[]>(
  statements: T,
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  const answered = await Promise.allSettled(statements)
  const failed = answered.find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
  return answered.map((one) => (one as PromiseFulfilledResult<unknown>).value) as { [K in keyof T]: Awaited<T[K]> }
}
