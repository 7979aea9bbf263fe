import type { Db } from '../../kernel/db.ts'

/** The row that counts the checks themselves. */
const LOOKS = '*'
/** Well below the maximum number of parameters of either engine. */
const ROWS_AT_ONCE = 500

/** Counts one check, and every representative it found online. Call it in a transaction. */
export async function addLook(db: Db, day: number, online: readonly string[]): Promise<void> {
  // Sorted, so that two instances cannot deadlock.
  const rows = [LOOKS, ...[...online].sort()].map((account) => ({ account, day, online: 1 }))
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await db
      .insertInto('rep_days')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .onConflict((conflict) =>
        conflict.columns(['account', 'day']).doUpdateSet(({ eb }) => ({ online: eb('rep_days.online', '+', 1) })),
      )
      .execute()
  }
}

export interface Uptimes {
  looks: number
  /** How often each was found online. */
  online: ReadonlyMap<string, number>
}

export async function readUptimes(db: Db, sinceDay: number): Promise<Uptimes> {
  const rows = await db
    .selectFrom('rep_days')
    .select(({ fn }) => ['account', fn.sum<number | string>('online').as('online')])
    .where('day', '>=', sinceDay)
    .groupBy('account')
    .execute()
  const online = new Map(rows.map((row) => [row.account, Number(row.online)]))
  return { looks: online.get(LOOKS) ?? 0, online }
}

export async function deleteOldLooks(db: Db, beforeDay: number): Promise<void> {
  await db.deleteFrom('rep_days').where('day', '<', beforeDay).execute()
}
