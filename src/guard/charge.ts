import type { Action } from '../kernel/action.ts'
import type { Ctx } from '../kernel/ctx.ts'
import { AppError } from '../kernel/errors.ts'
import {
  commitCredits,
  hasCredits,
  insufficientCredits,
  releaseCredits,
  reserveCredits,
} from '../modules/accounts/index.ts'
import type { FreeQuota } from './free-quota.ts'

/** What metered actions cost nothing of, for each kind of caller; none means no limit. */
export interface FreeQuotas {
  anonymous: FreeQuota | undefined
  account: FreeQuota | undefined
}

/**
 * Runs an action and charges for it where it is metered (contract 8). An account with credits pays: set aside before,
 * spent on success, given back on failure. Others have a free quota. The action learns what it cost, so that its answer
 * can say so.
 */
export async function charged<T>(
  ctx: Ctx,
  { action, input, ip, quotas }: { action: Action; input: Record<string, unknown>; ip: string; quotas: FreeQuotas },
  run: (ctx: Ctx) => Promise<T> | T,
): Promise<T> {
  const amount = action.credits?.(input) ?? 0
  if (amount === 0) return run(ctx)
  const { caller, store } = ctx
  if (caller.kind === 'account' && (await hasCredits(store, caller.accountId))) {
    return prepaid(ctx, { accountId: caller.accountId, amount, action }, run)
  }
  const key = caller.kind === 'account' ? `acc:${caller.accountId}` : `ip:${ip}`
  const quota = quotas[caller.kind]
  const taken = quota?.take(key)
  if (taken && !taken.taken) {
    if (caller.kind === 'account') throw insufficientCredits()
    const { retryAfterSeconds } = taken
    throw new AppError('too_many_requests', 'Too many requests.', { retryAfterSeconds })
  }
  try {
    return await run(ctx)
  } catch (error) {
    quota?.giveBack(key)
    throw error
  }
}

async function prepaid<T>(
  ctx: Ctx,
  { accountId, amount, action }: { accountId: string; amount: number; action: Action },
  run: (ctx: Ctx) => Promise<T> | T,
): Promise<T> {
  const { id } = await reserveCredits(ctx.store, accountId, amount)
  let result: T
  try {
    result = await run({ ...ctx, credits: amount })
  } catch (error) {
    // Why it failed matters more; what stays set aside returns by itself.
    await releaseCredits(ctx.store, id).catch(() => undefined)
    throw error
  }
  // The work is done and the client gets it, also when the store fails now and the credits return.
  await commitCredits(ctx.store, id, action.name).catch(() => undefined)
  return result
}
