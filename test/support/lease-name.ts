import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { insertLease } from '../../src/modules/names/index.ts'

const DAY = 86_400_000

/** Leases a name to an account as if it had been paid; returns the name. */
export async function leaseName({ db, clock }: StoreCtx, accountId: string, address: string): Promise<string> {
  const key = accountId.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const now = clock.now()
  const times = { createdAt: now, changedAt: now, expiresAt: now + 30 * DAY, graceUntil: now + 40 * DAY }
  const lease = { key, name: key, owner: address, address, accountId, ...times, profile: {}, indexed: false }
  await insertLease(db, lease)
  return key
}
