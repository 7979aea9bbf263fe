import type { Actor } from '../../../kernel/actor.ts'
import { type KeyKind, createApiKey, hashApiKey } from '../../../kernel/api-key.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { roleMay, scopesOfRole } from '../../../kernel/rights.ts'
import { keyEnding, keyNotFound, keyOver, tooManyKeys } from '../errors.ts'
import { type Granted, hasSuccessor, markSuccession } from '../keys-store.ts'
import { findMember } from '../people/members-store.ts'
import {
  type ApiKey,
  countLiveKeys,
  findAccount,
  findLiveKey,
  insertAudit,
  insertKey,
  lockAccount,
  markEnding,
  markRevoked,
} from '../store.ts'
import { type Maker, type Wanted, grant, requireWithin } from './grant.ts'

/** Everything, for good. */
export const UNLIMITED: Granted = {
  scopes: null,
  limits: [],
  lastsUntil: null,
  madeBy: null,
  makerRole: undefined,
  boundTo: null,
}

/** Enough to recognise a key by, and nothing to use it with. */
const SHOWN_CHARACTERS = 12
const LIVE_KEYS_MAX = 100

interface NewKey {
  accountId: string
  kind: KeyKind
  name: string
  origins?: string[]
  /** The key or the person in whose name it is made; nothing bounds the operator. */
  actor: Actor
  wanted?: Wanted
  idempotency?: Idempotency
}

type KeyToMake = Omit<NewKey, 'wanted'> & { id: string; granted: Granted }

/** Makes a key. The text is returned here and never again. */
export function issueKey(ctx: StoreCtx, input: NewKey): Promise<{ text: string; key: ApiKey }> {
  return inTx(ctx, async (tx) => {
    const maker = await requireAlive(tx, input)
    if ((await countLiveKeys(tx.db, input.accountId, tx.clock.now())) >= LIVE_KEYS_MAX) throw tooManyKeys(LIVE_KEYS_MAX)
    const id = tx.ids.next('key')
    const granted = grant(id, input.kind, input.wanted ?? {}, maker)
    const issued = await issueKeyIn(tx, { ...input, id, granted })
    await input.idempotency?.record(tx.db, toShown(issued))
    return issued
  })
}

/**
 * A key that was revoked makes no other, and neither does somebody who was removed, however little ago that was. Answers what binds
 * the maker; undefined where the operator makes it.
 */
async function requireAlive(
  { db, clock }: StoreCtx,
  { accountId, actor }: Pick<NewKey, 'accountId' | 'actor'>,
): Promise<Maker | undefined> {
  if (actor.kind !== 'person' && actor.kind !== 'key') return undefined
  // A revocation waits for us, or we for it.
  await lockAccount(db, accountId)
  if (actor.kind === 'person') return findPerson(db, { accountId, id: actor.id })
  const maker = await findLiveKey(db, { accountId, keyId: actor.id, now: clock.now() })
  if (!maker) throw keyOver()
  return maker
}

async function findPerson(db: Db, of: { accountId: string; id: string }): Promise<Maker> {
  const member = await findMember(db, of)
  if (!member || member.joinedAt === null || !roleMay(member.role, 'keys', 'all')) throw keyOver()
  const { id, role: makerRole } = member
  const scopes = scopesOfRole(makerRole, (await findAccount(db, of.accountId))?.role === 'admin') ?? null
  return { id, scopes, limits: [], expiresAt: null, madeBy: id, makerRole }
}

/** What is shown once; the record of its idempotency key keeps it sealed, so that a lost reply does not cost the key. */
const toShown = ({ text, key }: { text: string; key: ApiKey }) => ({ text, name: key.name })

/** What an auditor must know of a key: what it may do, for how long. Keys that may everything say nothing. */
function toldRights({ scopes, limits, lastsUntil, boundTo }: Granted) {
  const own = limits.map(({ id, perMinute, spendDaily }) => ({ id, perMinute, spendDaily: spendDaily?.toString() }))
  return {
    ...(scopes !== null && { scopes }),
    ...(own.length > 0 && { limits: own }),
    ...(lastsUntil !== null && { lastsUntil }),
    ...(boundTo !== null && { ...boundTo }),
  }
}

/** The same inside a transaction that already runs. */
export async function issueKeyIn(ctx: StoreCtx, input: KeyToMake): Promise<{ text: string; key: ApiKey }> {
  const { id, accountId, kind, name, origins = [], actor } = input
  const text = createApiKey(kind, ctx.random)
  const key: ApiKey = {
    id,
    accountId,
    kind,
    start: text.slice(0, SHOWN_CHARACTERS),
    name,
    origins,
    createdAt: ctx.clock.now(),
    expiresAt: input.granted.lastsUntil,
    revokedAt: null,
    lastUsedAt: null,
    ...input.granted,
  }
  await insertKey(ctx.db, key, hashApiKey(text))
  await insertAudit(ctx, {
    actor,
    accountId,
    what: 'key.issued',
    detail: { keyId: key.id, kind, name, ...toldRights(input.granted) },
  })
  return { text, key }
}

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
