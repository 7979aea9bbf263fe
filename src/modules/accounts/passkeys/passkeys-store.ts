import type { Selectable } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { PasskeysTable } from '../tables.ts'

/** A passkey of a person. */
export interface Passkey {
  id: string
  email: string
  userHandle: string
  credentialId: string
  publicKey: string
  counter: number
  name: string
  createdAt: number
  lastUsedAt: number | null
}

const toPasskey = (row: Selectable<PasskeysTable>): Passkey => ({
  id: row.id,
  email: row.email,
  userHandle: row.user_handle,
  credentialId: row.credential_id,
  publicKey: row.public_key,
  counter: row.counter,
  name: row.name,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
})

export async function insertPasskey(db: Db, passkey: Passkey): Promise<void> {
  await db
    .insertInto('passkeys')
    .values({
      id: passkey.id,
      email: passkey.email,
      user_handle: passkey.userHandle,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      name: passkey.name,
      created_at: passkey.createdAt,
      last_used_at: passkey.lastUsedAt,
    })
    .execute()
}

/** Few: a person has at most ten. */
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

/** Counts a use; false when the device has counted further already, or the passkey is gone: a copy of it is at work. */
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
