import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../kernel/db.ts'
import type { Store } from './open.ts'

const ROWS_AT_ONCE = 500

/** Columns whose sums are compared, in addition to the number of rows. */
const SUMS: Partial<Record<keyof Tables, string>> = {
  credit_balances: 'available',
  credit_entries: 'amount',
  credit_reservations: 'amount',
  usage_days: 'count',
  rep_days: 'online',
}

interface CopiedTable {
  table: string
  rows: number
  sum: number | undefined
}

/**
 * Copies all tables of a store, in order, into an empty one. The source is read in one transaction, and the target
 * written in one. Counts and sums are compared before the commit, so the target is either complete or still empty.
 */
export async function copyStore(
  source: Store,
  target: Store,
  tables: readonly (keyof Tables)[],
): Promise<CopiedTable[]> {
  // One snapshot for all tables. Otherwise each statement would also see what was committed after the one before.
  const snapshot = source.db.transaction().setIsolationLevel('repeatable read')
  return snapshot.execute((from) =>
    target.db.transaction().execute(async (to) => {
      const copied: CopiedTable[] = []
      for (const table of tables) {
        const reader = from as unknown as Kysely<Record<string, Record<string, unknown>>>
        const writer = to as unknown as Kysely<Record<string, Record<string, unknown>>>
        if ((await measure(writer, table)).rows > 0) throw new Error(`The target already holds rows in ${table}.`)
        const rows = await reader.selectFrom(table).selectAll().execute()
        for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
          await writer
            .insertInto(table)
            .values(rows.slice(at, at + ROWS_AT_ONCE))
            .execute()
        }
        const before = await measure(reader, table)
        const after = await measure(writer, table)
        if (before.rows !== after.rows || before.sum !== after.sum) {
          throw new Error(`The copy of ${table} does not agree: nothing was kept.`)
        }
        copied.push({ table, ...after })
      }
      return copied
    }),
  )
}

async function measure(
  db: Kysely<Record<string, Record<string, unknown>>>,
  table: keyof Tables,
): Promise<{ rows: number; sum: number | undefined }> {
  const column = SUMS[table]
  const sum = column === undefined ? sql`null` : sql`coalesce(sum(${sql.ref(column)}), 0)`
  const { rows } = await sql<{
    rows: number
    sum: number | string | null
  }>`select count(*) as "rows", ${sum} as "sum" from ${sql.table(table)}`.execute(db)
  const [found] = rows
  return { rows: found!.rows, sum: found!.sum === null ? undefined : Number(found!.sum) }
}
