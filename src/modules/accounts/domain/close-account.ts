import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { markSuspended, updateSignedOut } from '../standing-store.ts'
import { markAllRevoked } from '../store.ts'

/** Suspends an account for good, ends its sessions and revokes its keys, in the caller's transaction. */
export async function closeAccount({ db, clock }: StoreCtx, accountId: string): Promise<void> {
  const now = clock.now()
  await markSuspended(db, accountId, now)
  await updateSignedOut(db, accountId, now)
  await markAllRevoked(db, accountId, now)
}
