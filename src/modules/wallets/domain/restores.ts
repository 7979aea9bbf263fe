import type { Actor } from '../../../kernel/actor.ts'
import { AppError } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { insertAudit } from '../../accounts/index.ts'
import { countForeign } from '../frozen-store.ts'
import { insertRestore, markRestoreSettled } from '../restores-store.ts'
import { listSeeds, skipPlaces } from '../seeds-store.ts'

/**
 * Notes in the caller's transaction that the store is older than the ledger. It has forgotten what it sent since, so requests with an
 * `Idempotency-Key` that it does not know move no money until the operator has settled that.
 */
export async function noteRestore(
  tx: Pick<StoreCtx, 'db' | 'clock' | 'ids'>,
  actor: Actor,
  reason: string,
): Promise<boolean> {
  const restore = { id: tx.ids.next('rst'), reason, now: tx.clock.now() }
  const isFirst = await insertRestore(tx.db, restore)
  if (isFirst) await insertAudit(tx, { actor, accountId: null, what: 'store.restored', detail: { reason } })
  return isFirst
}

/** As many as `wallets recover` looks at by default, which begins twice as far before the counter. */
const SKIPPED = 1_000

/**
 * Records that the store was restored from a backup. Addresses that were given out after the backup must not be given to others, so new wallets
 * begin well beyond the counter of the backup.
 */
export function declareRestore(ctx: StoreCtx, actor: Actor, reason = 'The operator said so.'): Promise<void> {
  return inTx(ctx, async (tx) => {
    if (!(await noteRestore(tx, actor, reason))) return
    for (const { id, nextIndex } of await listSeeds(tx.db)) await skipPlaces(tx.db, id, nextIndex + SKIPPED)
  })
}

/** Records that the operator has compared the ledger with the store. Refused while wallets are frozen because of a difference. */
export function settleRestore(ctx: StoreCtx, actor: Actor): Promise<void> {
  return inTx(ctx, async (tx) => {
    const frozen = await countForeign(tx.db)
    if (frozen > 0) {
      throw new AppError(
        'conflict',
        `${frozen} wallets have sent what this store does not know: compare them (wallets frozen), then unfreeze each.`,
      )
    }
    if (!(await markRestoreSettled(tx.db, tx.clock.now())))
      throw new AppError('conflict', 'There is no restore to settle.')
    await insertAudit(tx, { actor, accountId: null, what: 'store.settled', detail: {} })
  })
}
