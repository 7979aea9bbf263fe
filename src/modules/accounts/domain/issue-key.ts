import { type KeyKind, createApiKey, hashApiKey } from '../../../kernel/api-key.ts'
import type { Deed } from '../../../kernel/deed.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { keyOver, tooManyKeys } from '../errors.ts'
import { type ApiKey, countLiveKeys, findLiveKey, insertAudit, insertKey, lockAccount } from '../store.ts'

/** Enough to recognise a key by, and nothing to use it with. */
const SHOWN_CHARACTERS = 12
const LIVE_KEYS_MAX = 100

interface NewKey {
  accountId: string
  kind: KeyKind
  name: string
  origins?: string[]
  expiresAt?: number | null
  actor: string
  /** The key in whose name it is made. */
  restsOn?: string | undefined
  deed?: Deed
}

/** Makes a key. The text is returned here and never again. */
export function issueKey(ctx: StoreCtx, input: NewKey): Promise<{ text: string; key: ApiKey }> {
  return inTx(ctx, async (tx) => {
    await requireAlive(tx, input)
    if ((await countLiveKeys(tx.db, input.accountId, tx.clock.now())) >= LIVE_KEYS_MAX) throw tooManyKeys(LIVE_KEYS_MAX)
    const issued = await issueKeyIn(tx, input)
    await input.deed?.record(tx.db, toShown(issued))
    return issued
  })
}

/** A key that was revoked makes no other, however little ago that was. */
export async function requireAlive(
  { db, clock }: StoreCtx,
  { accountId, restsOn }: Pick<NewKey, 'accountId' | 'restsOn'>,
): Promise<void> {
  if (restsOn === undefined) return
  // Whoever revokes waits for us, or we for them.
  await lockAccount(db, accountId)
  if (!(await findLiveKey(db, { accountId, keyId: restsOn, now: clock.now() }))) throw keyOver()
}

/** What is shown once; a deed keeps it sealed, so that a lost reply does not cost the key. */
export const toShown = ({ text, key }: { text: string; key: ApiKey }) => ({ text, name: key.name })

/** The same inside a transaction that already runs. */
export async function issueKeyIn(ctx: StoreCtx, input: NewKey): Promise<{ text: string; key: ApiKey }> {
  const { accountId, kind, name, origins = [], expiresAt = null, actor } = input
  const text = createApiKey(kind, ctx.random)
  const key: ApiKey = {
    id: ctx.ids.next('key'),
    accountId,
    kind,
    start: text.slice(0, SHOWN_CHARACTERS),
    name,
    origins,
    createdAt: ctx.clock.now(),
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
  }
  await insertKey(ctx.db, key, hashApiKey(text))
  await insertAudit(ctx, { actor, accountId, what: 'key.issued', detail: { keyId: key.id, kind, name } })
  return { text, key }
}
