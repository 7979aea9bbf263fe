import { type Actor } from '../../../kernel/actor.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { keyNotFound } from '../errors.ts'
import { insertAudit, lockAccount, markRevoked } from '../store.ts'

/** Ends a key at once; answers its hash for those who remember it. */
export function revokeKey(
  ctx: StoreCtx,
  { accountId, keyId, actor }: { accountId: string; keyId: string; actor: Actor },
): Promise<string> {
  return inTx(ctx, async (tx) => {
    await lockAccount(tx.db, accountId)
    const hash = await markRevoked(tx.db, { accountId, keyId, now: tx.clock.now() })
    if (hash === undefined) throw keyNotFound()
    await insertAudit(tx, { actor, accountId, what: 'key.revoked', detail: { keyId } })
    return hash
  })
}
