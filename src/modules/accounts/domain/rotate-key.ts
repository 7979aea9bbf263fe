import { type Actor } from '../../../kernel/actor.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { keyEnding, keyNotFound } from '../errors.ts'
import { type ApiKey, findLiveKey, insertAudit, lockAccount, markEnding } from '../store.ts'
import { hasSuccessor, markSuccession } from '../succession-store.ts'
import { requireWithin } from './grant.ts'
import { issueKeyIn, requireAlive, toShown } from './issue-key.ts'

const OVERLAP_MILLISECONDS = 24 * 3_600_000

/** A new key for an old one, which keeps working for a while so that nothing breaks meanwhile. */
export function rotateKey(
  ctx: StoreCtx,
  input: {
    accountId: string
    keyId: string
    actor: Actor
    overlapMilliseconds?: number
    idempotency?: Idempotency
  },
): Promise<{ text: string; key: ApiKey; oldHash: string | undefined }> {
  const { accountId, keyId, actor, overlapMilliseconds = OVERLAP_MILLISECONDS } = input
  return inTx(ctx, async (tx) => {
    const maker = await requireAlive(tx, input)
    const now = tx.clock.now()
    await lockAccount(tx.db, accountId)
    const old = await findLiveKey(tx.db, { accountId, keyId, now })
    if (!old) throw keyNotFound()
    requireWithin(old, maker)
    // It ends because it was replaced, and prolongs no other key.
    if (await hasSuccessor(tx.db, keyId)) throw keyEnding()
    // One that ends sooner by itself keeps its end.
    const oldHash = await markEnding(tx.db, { accountId, keyId, expiresAt: now + overlapMilliseconds })
    const { kind, name, origins } = old
    const issued = await issueKeyIn(tx, {
      id: tx.ids.next('key'),
      accountId,
      kind,
      name,
      origins,
      actor,
      // The maker bounds it, like every key they make.
      granted: {
        scopes: old.scopes ?? maker?.scopes ?? null,
        limits: old.limits,
        lastsUntil: old.lastsUntil,
        madeBy: maker?.madeBy ?? null,
        makerRole: maker?.makerRole,
        boundTo: old.boundTo,
      },
    })
    await markSuccession(tx.db, { keyId: issued.key.id, predecessor: keyId })
    await insertAudit(tx, { actor, accountId, what: 'key.rotated', detail: { keyId, newKeyId: issued.key.id } })
    await input.idempotency?.record(tx.db, toShown(issued))
    return { ...issued, oldHash }
  })
}
