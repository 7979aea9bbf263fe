import type { Failures } from './failures.ts'
import type { Clock, Ids, Random } from './ports.ts'
import type { Db } from './db.ts'
import type { Permission } from './rights.ts'
import type { Traces } from './traces.ts'

/** What a domain function needs to change the store. */
export interface StoreCtx {
  db: Db
  clock: Clock
  ids: Ids
  random: Random
  /** Notifies the job runner that jobs may be due. */
  wakeJobs(): void
  /**
   * Announces a change of an account, with the permissions that allow seeing it, so that open pages read it again. In a
   * transaction of `inTx`, this is sent after the commit.
   */
  notifyAccount(accountId: string, about: readonly Permission[]): void
  failures: Failures
  /** Undefined if the operator has switched traces off. */
  traces?: Traces | undefined
}

/**
 * Runs a domain function in one transaction, and wakes the job runner after the commit. The function must not use the
 * network.
 */
export async function inTx<C extends StoreCtx, T>(ctx: C, run: (ctx: C) => Promise<T>): Promise<T> {
  const result = await inNotifyingTx(ctx, run)
  ctx.wakeJobs()
  return result
}

/**
 * The same for a function that adds no jobs. Notices to accounts are sent after the commit, because before it their
 * pages would find nothing new.
 */
export async function inNotifyingTx<C extends StoreCtx, T>(ctx: C, run: (ctx: C) => Promise<T>): Promise<T> {
  const notices: Parameters<StoreCtx['notifyAccount']>[] = []
  const notifyAccount: StoreCtx['notifyAccount'] = (...what) => void notices.push(what)
  const result = await ctx.db.transaction().execute((tx) => run({ ...ctx, db: tx, notifyAccount }))
  for (const what of notices) ctx.notifyAccount(...what)
  return result
}

/**
 * Runs independent statements of one transaction at once. If one fails, waits for all others before throwing: a
 * statement that ran after the end of the transaction would not be part of it.
 */
export async function together<const T extends readonly (Promise<unknown> | undefined)[]>(
  statements: T,
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  const answered = await Promise.allSettled<unknown>(statements as readonly Promise<unknown>[])
  const failed = answered.find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
  return answered.map((one) => (one as PromiseFulfilledResult<unknown>).value) as { [K in keyof T]: Awaited<T[K]> }
}
