import type { Idempotency } from '../../../kernel/idempotency.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { type Deposit, insertReceive } from '../outbox-store.ts'

/** Queues deposits to receive, each only once however often it is found; returns how many are new. */
export async function queueReceives(
  { db, clock, ids }: StoreCtx,
  walletId: string,
  deposits: readonly Deposit[],
  idempotency?: Idempotency,
): Promise<number> {
  if (deposits.length === 0) return 0
  return db.transaction().execute(async (tx) => {
    let added = 0
    for (const deposit of deposits) {
      const receive = { id: ids.next('wbl'), walletId, deposit, createdAt: clock.now() }
      if (await insertReceive(tx, receive)) added++
    }
    await idempotency?.record(tx, { sources: deposits.map(({ hash }) => hash) })
    return added
  })
}
