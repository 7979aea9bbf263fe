import { type RecordIn, type RowIn, columns, plain } from '../../../kernel/resource/columns.ts'
import { sql } from 'kysely'
import type { Db, Tables } from '../../../kernel/db.ts'
import { STEP_ROWS, deleteSome } from '../../../kernel/retention.ts'

/** A person's passkey, valid for all their accounts. Contains only the public key. */
const PASSKEY = columns({
  id: plain<string>(),
  /** In lower case. */
  email: plain<string>(),
  /** The person's id on devices; the same for all passkeys of a person. */
  userHandle: plain<string>(),
  credentialId: plain<string>(),
  publicKey: plain<string>(),
  /** The device's count of signatures; some devices always report 0. */
  counter: plain<number>(),
  name: plain<string>(),
  createdAt: plain<number>(),
  lastUsedAt: plain<number | null>(),
})

export type Passkey = RecordIn<typeof PASSKEY>
export type PasskeysTable = RowIn<typeof PASSKEY>
const toPasskey = PASSKEY.toRecord

export async function insertPasskey(db: Db, passkey: Passkey): Promise<void> {
  await db.insertInto('passkeys').values(PASSKEY.toRow(passkey)).execute()
}

/** Few, because a person has at most ten. */
export async function listPasskeys(db: Db, email: string): Promise<Passkey[]> {
  const rows = await db
    .selectFrom('passkeys')
    .selectAll()
    .where('email', '=', email)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toPasskey)
}

export async function hasPasskey(db: Db, email: string): Promise<boolean> {
  return (await db.selectFrom('passkeys').select('id').where('email', '=', email).executeTakeFirst()) !== undefined
}

export async function findByCredential(db: Db, credentialId: string): Promise<Passkey | undefined> {
  const row = await db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()
  return row && toPasskey(row)
}

/** Records a use; false when the passkey is gone, or the device's counter is not above the stored one, which means a copy is in use. */
export async function markPasskeyUsed(
  db: Db,
  { id, counter, now }: { id: string; counter: number; now: number },
): Promise<boolean> {
  const row = await db
    .updateTable('passkeys')
    .set({ counter, last_used_at: now })
    .where('id', '=', id)
    .where(({ or, eb, and }) => or([eb('counter', '<', counter), and([eb('counter', '=', 0), eb.val(counter === 0)])]))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

interface OfPerson {
  email: string
  id: string
}

export async function updatePasskeyName(db: Db, { email, id }: OfPerson, name: string): Promise<Passkey | undefined> {
  const row = await db
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('email', '=', email)
    .returningAll()
    .executeTakeFirst()
  return row && toPasskey(row)
}

export async function deletePasskey(db: Db, { email, id }: OfPerson): Promise<Passkey | undefined> {
  const row = await db
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('email', '=', email)
    .returningAll()
    .executeTakeFirst()
  return row && toPasskey(row)
}

export async function deleteAllPasskeys(db: Db, email: string): Promise<void> {
  await db.deleteFrom('passkeys').where('email', '=', email).execute()
}

/** A challenge for a device, with its purpose and its user. */
export interface Challenge {
  hash: string
  purpose: Tables['passkey_challenges']['purpose']
  boundTo: string
  userHandle: string | null
  expiresAt: number
}

export async function insertChallenge(db: Db, challenge: Challenge): Promise<void> {
  const { hash: challenge_hash, purpose, boundTo: bound_to, userHandle: user_handle, expiresAt: expires_at } = challenge
  await db
    .insertInto('passkey_challenges')
    .values({ challenge_hash, purpose, bound_to, user_handle, expires_at })
    .execute()
}

/** A new request replaces earlier challenges. */
export async function deleteChallengesOf(
  db: Db,
  { purpose, boundTo }: Pick<Challenge, 'purpose' | 'boundTo'>,
): Promise<void> {
  await db.deleteFrom('passkey_challenges').where('bound_to', '=', boundTo).where('purpose', '=', purpose).execute()
}

/** Deletes a challenge and returns it, so that a second use finds none. */
export async function takeChallenge(
  db: Db,
  { hash, purpose, boundTo, now }: Pick<Challenge, 'hash' | 'purpose' | 'boundTo'> & { now: number },
): Promise<Pick<Challenge, 'userHandle'> | undefined> {
  const row = await db
    .deleteFrom('passkey_challenges')
    .where('challenge_hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('bound_to', '=', boundTo)
    .where('expires_at', '>', now)
    .returning('user_handle')
    .executeTakeFirst()
  return row && { userHandle: row.user_handle }
}

export function deleteOldChallenges(db: Db, expiredBefore: number, limit = STEP_ROWS): Promise<number> {
  return deleteSome(db, {
    from: 'passkey_challenges',
    key: ['challenge_hash'],
    where: sql`expires_at < ${expiredBefore}`,
    limit,
  })
}

interface NewCodes {
  email: string
  hashes: readonly string[]
  now: number
}

/** Replaces all codes of a person. */
export async function replaceCodes(db: Db, { email, hashes, now }: NewCodes): Promise<void> {
  await deleteCodes(db, email)
  const rows = hashes.map((code_hash) => ({ code_hash, email, created_at: now, used_at: null }))
  await db.insertInto('recovery_codes').values(rows).execute()
}

/** Marks a code as used; false when it was used before, or is not one of this person's. */
export async function markCodeUsed(
  db: Db,
  { email, hash, now }: { email: string; hash: string; now: number },
): Promise<boolean> {
  const row = await db
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('code_hash', '=', hash)
    .where('email', '=', email)
    .where('used_at', 'is', null)
    .returning('code_hash')
    .executeTakeFirst()
  return row !== undefined
}

export async function countCodes(db: Db, email: string): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('email', '=', email)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function deleteCodes(db: Db, email: string): Promise<void> {
  await db.deleteFrom('recovery_codes').where('email', '=', email).execute()
}
