import type { Db } from '../../src/kernel/db.ts'
import { TABLES } from '../../src/store/schema.ts'

/** Every row of every table, as text. */
export async function dumpStore(db: Db): Promise<Record<string, string>> {
  const dump: Record<string, string> = {}
  for (const table of TABLES) {
    const rows = await db.selectFrom(table).selectAll().execute()
    dump[table] = rows
      .map((row) => JSON.stringify(row))
      .sort()
      .join('\n')
  }
  return dump
}

/** An account's audit log, oldest first; entries of the same millisecond are sorted by name, because ids are random. */
export async function listAudit(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('audit_entries')
    .select('what')
    .where('account_id', '=', accountId)
    .orderBy('at')
    .orderBy('what')
    .execute()
  return rows.map(({ what }) => what)
}

/** A store that must not be used. */
export const untouchable = new Proxy({} as Db, {
  get: () => {
    throw new Error('The store was asked.')
  },
})
