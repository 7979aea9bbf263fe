import type { Deed } from '../../../kernel/deed.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { keyEnding, keyNotFound } from '../errors.ts'
import { type ApiKey, findLiveKey, insertAudit, markEnding } from '../store.ts'
import { markSuccession } from '../succession-store.ts'
import { issueKeyIn, requireAlive, toShown } from './issue-key.ts'

const OVERLAP_MILLISECONDS = 24 * 3_600_000

/** A new key for an old one, which keeps working for a while so that nothing breaks meanwhile. */
export function rotateKey(
  ctx: StoreCtx,
  input: {
    accountId: string
    keyId: string
    actor: string
    overlapMilliseconds?: number
    restsOn?: string | undefined
    deed?: Deed
  },
): Promise<{ text: string; key: ApiKey; oldHash: string }> {
  const { accountId, keyId, actor, overlapMilliseconds = OVERLAP_MILLISECONDS } = input
  return inTx(ctx, async (tx) => {
    await requireAlive(tx, input)
    const now = tx.clock.now()
    const ending = await markEnding(tx.db, { accountId, keyId, expiresAt: now + overlapMilliseconds })
    if (!ending) throw (await findLiveKey(tx.db, { accountId, keyId, now })) ? keyEnding() : keyNotFound()
    const { kind, name, origins } = ending.key
    const issued = await issueKeyIn(tx, { accountId, kind, name, origins, actor })
    await markSuccession(tx.db, { keyId: issued.key.id, predecessor: keyId })
    await insertAudit(tx, { actor, accountId, what: 'key.rotated', detail: { keyId, newKeyId: issued.key.id } })
    await input.deed?.record(tx.db, toShown(issued))
    return { ...issued, oldHash: ending.hash }
  })
}
