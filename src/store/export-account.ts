import { sql } from 'kysely'
import type { Db } from '../kernel/db.ts'
import { PERSONAL, type Whose } from './personal.ts'

const PAGE = 500

export interface ExportedRow {
  table: string
  row: Record<string, unknown>
}

/** Everything that the store knows about an account, row by row, some at a time: without secrets, and without other people. */
export async function* exportAccount(db: Db, whose: Whose): AsyncGenerator<ExportedRow> {
  for (const [table, personal] of Object.entries(PERSONAL)) {
    if ('nobody' in personal) continue
    const keys = sql.join(personal.key.map((column) => sql.ref(column)))
    const leftOut = new Set<string>(personal.leftOut)
    let after: unknown[] | undefined
    do {
      const behind = after ? sql`and (${keys}) > (${sql.join(after)})` : sql``
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}
        where ${personal.of(whose)} ${behind} order by ${keys} limit ${PAGE}`.execute(db)
      for (const row of rows) {
        yield { table, row: Object.fromEntries(Object.entries(row).filter(([column]) => !leftOut.has(column))) }
      }
      const last = rows.length < PAGE ? undefined : rows.at(-1)!
      after = last && personal.key.map((column) => last[column])
    } while (after)
  }
}
