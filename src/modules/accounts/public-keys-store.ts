import type { Db } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'

/** The public keys of an account, those that have ended too: what was made with them stays theirs. */
export async function listPublicKeyIds(db: Db, accountId: string): Promise<string[]> {
  return (await selectPublic(db, { accountId })).map(({ id }) => id)
}

const selectPublic = prepared((db, given: Given<{ accountId: string }>) =>
  db.selectFrom('api_keys').select('id').where('account_id', '=', given('accountId')).where('kind', '=', 'public'),
)
