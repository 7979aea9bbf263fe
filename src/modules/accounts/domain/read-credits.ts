import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { findAvailable, listUsage } from '../credits-store.ts'

const USAGE_DAYS = 30
const DAY = 86_400_000

/** Credits left, and what was used on each of the last days, newest first. */
export async function readCredits(
  { db, clock }: StoreCtx,
  accountId: string,
): Promise<{ credits: number; plan: 'free' | 'prepaid'; usage: Record<string, JsonObject> }> {
  const since = new Date(clock.now() - USAGE_DAYS * DAY).toISOString().slice(0, 10)
  const [credits, rows] = await Promise.all([findAvailable(db, accountId), listUsage(db, accountId, since)])
  const usage: Record<string, JsonObject> = {}
  for (const { day, action, count } of rows) (usage[day] ??= {})[action] = count
  return { credits, plan: credits > 0 ? 'prepaid' : 'free', usage }
}

/** Calls of one day: all of them, and those for work. */
export function toUsage(day: JsonObject = {}): { requests: number; work: number } {
  const requests = Object.values(day).reduce<number>((sum, count) => sum + Number(count), 0)
  return { requests, work: Number(day.work_generate ?? 0) }
}
