import type { Db } from '../../../kernel/db.ts'

interface NewCodes {
  email: string
  hashes: readonly string[]
  now: number
}

/** Puts new codes in the place of all that the person has had. */
export async function replaceCodes(db: Db, { email, hashes, now }: NewCodes): Promise<void> {
  await deleteCodes(db, email)
  const rows = hashes.map((code_hash) => ({ code_hash, email, created_at: now, used_at: null }))
  await db.insertInto('recovery_codes').values(rows).execute()
}

/** Unused → used; false when it was used before, or is none of the person. */
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
