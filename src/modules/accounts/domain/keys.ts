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

/** All rights, without an end. */
export const UNLIMITED: Granted = {
  scopes: null,
  limits: [],
  lastsUntil: null,
  madeBy: null,
  makerRole: undefined,
  boundTo: null,
}

/** Enough to recognise a key by, but not to use it. */
const SHOWN_CHARACTERS = 12
const LIVE_KEYS_MAX = 100

interface NewKey {
  accountId: string
  kind: KeyKind
  name: string
  origins?: string[]
  /** The key or the person in whose name it is made; the operator has no bounds. */
  actor: Actor
  wanted?: Wanted
  idempotency?: Idempotency
}

type KeyToMake = Omit<NewKey, 'wanted'> & { id: string; granted: Granted }

/** Makes a key and returns its text, for the only time. */
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
 * Refuses if the maker is a revoked key or a removed person, even one removed just now. Returns the maker's rights,
 * which limit the new key; undefined for the operator.
 */
async function requireAlive(
  { db, clock }: StoreCtx,
  { accountId, actor }: Pick<NewKey, 'accountId' | 'actor'>,
): Promise<Maker | undefined> {
  if (actor.kind !== 'person' && actor.kind !== 'key') return undefined
  // So that a revocation at the same time runs before or after this, but not in between.
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

/** Shown once; the record of the idempotency key stores it encrypted, so that a lost reply does not lose the key. */
const toShown = ({ text, key }: { text: string; key: ApiKey }) => ({ text, name: key.name })

/** The rights of a key for the audit log: what it may do, and until when. Empty for a key without limits. */
function describeRights({ scopes, limits, lastsUntil, boundTo }: Granted) {
  const own = limits.map(({ id, perMinute, spendDaily }) => ({ id, perMinute, spendDaily: spendDaily?.toString() }))
  return {
    ...(scopes !== null && { scopes }),
    ...(own.length > 0 && { limits: own }),
    ...(lastsUntil !== null && { lastsUntil }),
    ...(boundTo !== null && { ...boundTo }),
  }
}

/** The same inside a running transaction. */
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
    detail: { keyId: key.id, kind, name, ...describeRights(input.granted) },
  })
  return { text, key }
}

const OVERLAP_MILLISECONDS = 24 * 3_600_000

/** Replaces a key; the old one keeps working for a while so that nothing breaks. */
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
    // A replaced key is ending and cannot be replaced again, which would extend it.
    if (await hasSuccessor(tx.db, keyId)) throw keyEnding()
    // A key that expires sooner keeps its own end.
    const oldHash = await markEnding(tx.db, { accountId, keyId, expiresAt: now + overlapMilliseconds })
    const { kind, name, origins } = old
    const issued = await issueKeyIn(tx, {
      id: tx.ids.next('key'),
      accountId,
      kind,
      name,
      origins,
      actor,
      // The rights of the caller who rotates it bound the new key, like every key they make.
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

/** Revokes a key at once; returns its hash, by which caches forget it. */
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
