import type { Db } from '../../src/kernel/db.ts'
import { type Subscription, insertSubscription } from '../../src/modules/links/subscriptions/store.ts'

let count = 0

/** A subscription that was paid once. */
export async function subscribe(
  { db }: { db: Db },
  owner: string,
  { email = 'payer@example.com', linkId = 'lnk_1', status = 'active' }: Partial<Subscription> = {},
): Promise<string> {
  const id = `sub_${++count}`
  const payer = { email, language: 'en', plan: null, every: 'month', graceDays: 0 } as const
  const paid = { status, beganAt: 1, periods: 1, paidUntil: 2 ** 41, checkoutId: null, endedAt: null } as const
  await insertSubscription(db, { id, linkId, owner, createdAt: count, ...payer, ...paid }, 2 ** 42)
  return id
}
