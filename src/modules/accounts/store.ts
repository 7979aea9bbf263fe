import { type Actor } from '../../kernel/actor.ts'
import { sql } from 'kysely'
import { type Given, givenRow, prepared } from '../../kernel/prepared.ts'
import { type RecordIn, type RowIn, columns, json, plain } from '../../kernel/resource/columns.ts'
import { STEP_ROWS, deleteSome } from '../../kernel/retention.ts'
import type { KeyKind } from '../../kernel/api-key.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Db, Tables } from '../../kernel/db.ts'
import { type Granted, type MakerColumns, fromGranted, toGranted } from './keys-store.ts'
import { STANDING_COLUMNS, type Standing, toStanding } from './standing.ts'

export interface Account {
  id: string
  email: string | null
  role: 'user' | 'admin'
  createdAt: number
  standing: Standing
  /** Whether its people may sign in by mail although they have passkeys. */
  mailLinks: boolean
}

const KEY = columns({
  id: plain<string>(),
  accountId: plain<string>(),
  kind: plain<KeyKind>(),
  start: plain<string>(),
  name: plain<string>(),
  /** The origins at which a public key may be used. */
  origins: json<string[]>(),
  createdAt: plain<number>(),
  expiresAt: plain<number | null>(),
  revokedAt: plain<number | null>(),
  lastUsedAt: plain<number | null>(),
})

/** The store has only the hash of a key; `start` are the characters that may be shown. */
export interface ApiKeysTable extends RowIn<typeof KEY> {
  hash: string
  /** The key that it replaced. */
  predecessor: string | null
  scopes: string | null
  /** JSON list of the limits that apply to it. */
  limits: string | null
  /** Its original end, which its successor gets too; `expires_at` may be earlier once it is replaced. */
  lasts_until: number | null
  /** The member who made it, directly or through a key: their role bounds it. Null for the operator's, and where it is not known. */
  made_by: string | null
  /** JSON of the addresses and templates that a public key is bound to; null for an unbound one. */
  bound_to: string | null
}

/** A key as it may be shown. */
export type ApiKey = RecordIn<typeof KEY> & Granted

function toAccount({ id, email, role, created_at: createdAt, mail_links, ...row }: Tables['accounts']): Account {
  return { id, email, role, createdAt, standing: toStanding(row), mailLinks: mail_links === 1 }
}

const toKey = (row: Omit<ApiKeysTable, 'hash'> & MakerColumns): ApiKey => ({ ...KEY.toRecord(row), ...toGranted(row) })

export async function insertAccount(
  db: Db,
  { id, email, role, createdAt }: Pick<Account, 'id' | 'email' | 'role' | 'createdAt'>,
): Promise<void> {
  await db.insertInto('accounts').values({ id, email, role, created_at: createdAt }).execute()
}

export async function findAccount(db: Db, id: string): Promise<Account | undefined> {
  const row = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toAccount(row)
}

export async function findAccountByEmail(db: Db, email: string): Promise<Account | undefined> {
  const row = await db
    .selectFrom('accounts')
    .selectAll()
    .where(({ fn }) => fn<string>('lower', ['email']), '=', email.toLowerCase())
    .executeTakeFirst()
  return row && toAccount(row)
}

export async function findAdministrator(db: Db): Promise<Account | undefined> {
  const row = await db
    .selectFrom('accounts')
    .selectAll()
    .where('role', '=', 'admin')
    .orderBy('created_at')
    .executeTakeFirst()
  return row && toAccount(row)
}

/** The newest accounts, or those whose id or email address contains the text. */
export async function listAccounts(db: Db, limit: number, search = ''): Promise<Account[]> {
  let query = db.selectFrom('accounts').selectAll()
  if (search !== '') {
    const part = `%${search.toLowerCase().replaceAll(/[\\%_]/g, (one) => `\\${one}`)}%`
    query = query.where(({ or, and }) => or([and({ id: search }), sql<boolean>`lower(email) like ${part} escape '\\'`]))
  }
  return (await query.orderBy('created_at', 'desc').limit(limit).execute()).map(toAccount)
}

export async function insertKey(db: Db, key: ApiKey, hash: string): Promise<void> {
  await db
    .insertInto('api_keys')
    .values({ ...KEY.toRow(key), hash, ...fromGranted(key) })
    .execute()
}

/** Keys with the current role of their maker; undefined for one who was removed or has not accepted. */
const keysWithMaker = (db: Db) =>
  db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .leftJoin('members', (join) =>
      join
        .onRef('members.id', '=', 'api_keys.made_by')
        .onRef('members.account_id', '=', 'api_keys.account_id')
        .on('members.ended_at', 'is', null)
        .on('members.joined_at', 'is not', null),
    )
    .selectAll('api_keys')
    .select(['accounts.role as account_role', 'members.role as maker_role'])

/** A key and its account's role by the key's hash, in whichever state it is. */
export async function findKeyByHash(
  db: Db,
  hash: string,
): Promise<(ApiKey & Pick<Account, 'role' | 'standing'> & { prepaid: boolean }) | undefined> {
  const row = await keysWithMaker(db)
    .leftJoin('credit_balances', 'credit_balances.account_id', 'api_keys.account_id')
    .select('credit_balances.available')
    .select(STANDING_COLUMNS.map((column) => `accounts.${column}` as const))
    .where('api_keys.hash', '=', hash)
    .executeTakeFirst()
  return row && { ...toKey(row), role: row.account_role, standing: toStanding(row), prepaid: (row.available ?? 0) > 0 }
}

export async function listKeys(db: Db, accountId: string, limit: number): Promise<ApiKey[]> {
  const rows = await keysWithMaker(db)
    .where('api_keys.account_id', '=', accountId)
    .orderBy('api_keys.created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toKey)
}

/** Revokes every key of an account. */
export async function markAllRevoked(db: Db, accountId: string, now: number): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Revokes a key; returns its hash, by which caches forget it. */
export async function markRevoked(
  db: Db,
  { accountId, keyId, now }: { accountId: string; keyId: string; now: number },
): Promise<string | undefined> {
  const row = await db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('id', '=', keyId)
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .returning('hash')
    .executeTakeFirst()
  return row?.hash
}

/** Revokes every key that a member made, directly or through their keys; returns their ids. */
export async function markRevokedOf(db: Db, { accountId, id }: { accountId: string; id: string }, now: number) {
  const rows = await db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('account_id', '=', accountId)
    .where('made_by', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Sets the end of a key that has none or a later one; returns its hash. */
export async function markEnding(
  db: Db,
  { accountId, keyId, expiresAt }: { accountId: string; keyId: string; expiresAt: number },
): Promise<string | undefined> {
  const row = await db
    .updateTable('api_keys')
    .set({ expires_at: expiresAt })
    .where('id', '=', keyId)
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', expiresAt)]))
    .returning('hash')
    .executeTakeFirst()
  return row?.hash
}

/** A key of an account that is neither revoked nor expired. */
export async function findLiveKey(
  db: Db,
  { accountId, keyId, now }: { accountId: string; keyId: string; now: number },
): Promise<ApiKey | undefined> {
  const row = await keysWithMaker(db)
    .where('api_keys.id', '=', keyId)
    .where('api_keys.account_id', '=', accountId)
    .where('api_keys.revoked_at', 'is', null)
    .where((where) => where.or([where('api_keys.expires_at', 'is', null), where('api_keys.expires_at', '>', now)]))
    .executeTakeFirst()
  return row && toKey(row)
}

export async function countLiveKeys(db: Db, accountId: string, now: number): Promise<number> {
  const row = await db
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** Never moves backwards, because instances write in any order. */
export async function updateLastUsed(db: Db, hash: string, at: number): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: at })
    .where('hash', '=', hash)
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', at)]))
    .execute()
}

/** One place of an address's limit. It is a row among the sign-in links but opens nothing, because no hash has this form. */
const placeOf = (email: string, place: number) => `asked:${place}:${email}`

/**
 * Takes a place if it is free; false if it was taken too recently. It is one statement, so that no place is taken
 * twice.
 */
export async function takeAsking(
  db: Db,
  { email, place, now, freeBefore }: { email: string; place: number; now: number; freeBefore: number },
): Promise<boolean> {
  const times = { created_at: now, expires_at: now, used_at: now }
  const row = await db
    .insertInto('sign_in_links')
    .values({ token_hash: placeOf(email, place), email, ...times })
    .onConflict((conflict) =>
      conflict.column('token_hash').doUpdateSet(times).where('sign_in_links.created_at', '<=', freeBefore),
    )
    .returning('token_hash')
    .executeTakeFirst()
  return row !== undefined
}

/** When the place was taken that will be free first. */
export async function findOldestAsking(db: Db, email: string, places: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('sign_in_links')
    .select(({ fn }) => fn.min('created_at').as('oldest'))
    .where(
      'token_hash',
      'in',
      Array.from({ length: places }, (_, place) => placeOf(email, place)),
    )
    .executeTakeFirst()
  return row?.oldest ?? undefined
}

export async function insertSignInLink(
  db: Db,
  link: { tokenHash: string; email: string; createdAt: number; expiresAt: number },
): Promise<void> {
  const { tokenHash: token_hash, email, createdAt: created_at, expiresAt: expires_at } = link
  await db.insertInto('sign_in_links').values({ token_hash, email, created_at, expires_at, used_at: null }).execute()
}

/** Uses up a valid link and returns its address. A link works once, on whichever instance it arrives first. */
export async function markLinkUsed(db: Db, tokenHash: string, now: number): Promise<string | undefined> {
  const row = await db
    .updateTable('sign_in_links')
    .set({ used_at: now })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('email')
    .executeTakeFirst()
  return row?.email
}

export function deleteOldLinks(db: Db, expiredBefore: number, limit = STEP_ROWS): Promise<number> {
  return deleteSome(db, {
    from: 'sign_in_links',
    key: ['token_hash'],
    where: sql`expires_at < ${expiredBefore}`,
    limit,
  })
}

/** Locks an account until the transaction ends, so that concurrent checks of its limits run one after another. */
export async function lockAccount(db: Db, id: string): Promise<void> {
  await db
    .updateTable('accounts')
    .set(({ ref }) => ({ role: ref('role') }))
    .where('id', '=', id)
    .execute()
}

interface AuditEntry {
  actor: Actor
  accountId: string | null
  what: string
  detail: Record<string, unknown>
}

/** Call it in the transaction of the change. Returns true, because `allOrNone` rolls back when a statement returns nothing. */
export async function insertAudit(
  { db, clock, ids }: Pick<StoreCtx, 'db' | 'clock' | 'ids'>,
  { actor, accountId, what, detail }: AuditEntry,
): Promise<true> {
  await insertAuditRow(db, {
    id: ids.next('aud'),
    at: clock.now(),
    actor: actor.id,
    account_id: accountId,
    what,
    detail: JSON.stringify(detail),
  })
  return true
}

const AUDIT_COLUMNS = ['id', 'at', 'actor', 'account_id', 'what', 'detail'] as const

const insertAuditRow = prepared((db, given: Given<Pick<Tables['audit_entries'], (typeof AUDIT_COLUMNS)[number]>>) =>
  db.insertInto('audit_entries').values(givenRow(given, AUDIT_COLUMNS)).returning('id'),
)
