import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { findAvailable } from '../credits-store.ts'

/** Whether an account pays with credits; if not, it lives on its free quota. */
export async function hasCredits({ db }: StoreCtx, accountId: string): Promise<boolean> {
  return (await findAvailable(db, accountId)) > 0
}
