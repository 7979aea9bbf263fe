import type { Db } from '../../kernel/db.ts'

/** A key takes the place of another. */
export async function markSuccession(db: Db, { keyId, predecessor }: { keyId: string; predecessor: string }) {
  await db.updateTable('api_keys').set({ predecessor }).where('id', '=', keyId).execute()
}

/** Whether another key has taken its place. */
export async function hasSuccessor(db: Db, keyId: string): Promise<boolean> {
  const row = await db.selectFrom('api_keys').select('id').where('predecessor', '=', keyId).limit(1).executeTakeFirst()
  return row !== undefined
}

const PREDECESSORS_MAX = 1_000

/** A key of an account, and those whose place it took, newest first. */
export async function listPredecessors(
  db: Db,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<string[]> {
  const ids = [keyId]
  while (ids.length < PREDECESSORS_MAX) {
    const row = await db
      .selectFrom('api_keys')
      .select('predecessor')
      .where('id', '=', ids.at(-1)!)
      .where('account_id', '=', accountId)
      .executeTakeFirst()
    if (!row || row.predecessor === null || ids.includes(row.predecessor)) break
    ids.push(row.predecessor)
  }
  return ids
}
