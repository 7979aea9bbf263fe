import type { Db } from '../../kernel/db.ts'

/** The public keys of an account, those that have ended too: what was made with them stays theirs. */
export async function listPublicKeyIds(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('api_keys')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'public')
    .execute()
  return rows.map(({ id }) => id)
}
