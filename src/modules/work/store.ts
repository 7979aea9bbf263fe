import { sql } from 'kysely'
import { STEP_ROWS, deleteSome } from '../../kernel/retention.ts'
import type { FoundWork } from '../../kernel/ports.ts'
import type { Db } from '../../kernel/db.ts'
import { formatWork } from '../../kernel/nano/work.ts'

interface StoredWork extends FoundWork {
  root: string
  account: string | null
}

/** What is known for a root, however strong. */
export async function findWork(db: Db, root: string, now: number): Promise<FoundWork | undefined> {
  const row = await db
    .selectFrom('works')
    .select(['work', 'value', 'prepared'])
    .where('root', '=', root)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row && { work: row.work, value: BigInt(`0x${row.value}`), prepared: row.prepared === 1 }
}

/** Keeps work; for a root that is known already, the stronger of the two. */
export async function saveWork(
  db: Db,
  { root, work, value, prepared = false, account, now, expiresAt }: StoredWork & { now: number; expiresAt: number },
): Promise<void> {
  await db
    .insertInto('works')
    .values({
      root,
      work,
      value: formatWork(value),
      account,
      prepared: prepared ? 1 : 0,
      created_at: now,
      expires_at: expiresAt,
    })
    .onConflict((conflict) =>
      conflict
        .column('root')
        .doUpdateSet(({ eb, ref, fn }) => ({
          work: ref('excluded.work'),
          value: ref('excluded.value'),
          prepared: ref('excluded.prepared'),
          account: fn.coalesce('excluded.account', 'works.account'),
          // What was made for an account's next block is kept as long, also when another search finds stronger work.
          expires_at: eb
            .case()
            .when(ref('works.expires_at'), '>', ref('excluded.expires_at'))
            .then(ref('works.expires_at'))
            .else(ref('excluded.expires_at'))
            .end(),
        }))
        .where(({ or, eb, ref }) =>
          or([eb('excluded.value', '>', ref('works.value')), eb('works.expires_at', '<=', now)]),
        ),
    )
    .execute()
}

/** Work that is known already turns out to be for the next block of an account, and is kept as such. */
export async function assignWork(
  db: Db,
  { root, account, expiresAt }: { root: string; account: string; expiresAt: number },
): Promise<void> {
  await db.updateTable('works').set({ account, expires_at: expiresAt }).where('root', '=', root).execute()
}

/** A caller that wants it from now on asks again. */
export async function markAsked(db: Db, root: string): Promise<void> {
  await db.updateTable('works').set({ prepared: 0 }).where('root', '=', root).execute()
}

/** The account has moved on: what was made for another root of it is of no use any more. */
export async function deleteStaleWorks(db: Db, account: string, root: string): Promise<void> {
  await db.deleteFrom('works').where('account', '=', account).where('root', '!=', root).execute()
}

/** The accounts that work was made for, with the roots of their next blocks; the latest first. */
export async function listPrepared(db: Db, now: number, limit: number): Promise<{ account: string; root: string }[]> {
  const rows = await db
    .selectFrom('works')
    .select(['account', 'root'])
    .where('account', 'is not', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ account, root }) => ({ account: account!, root }))
}

export function deleteExpiredWorks(db: Db, now: number, limit = STEP_ROWS): Promise<number> {
  return deleteSome(db, { from: 'works', key: ['root'], where: sql`expires_at <= ${now}`, limit })
}
