import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import type { StoreEngine } from '../../kernel/dialect.ts'
import type { Job } from '../../kernel/job.ts'
import type { Gauge } from '../../kernel/module.ts'
import type { Clock } from '../../kernel/ports.ts'
import { findFact, replaceFact } from './facts.ts'

const HOUR = 3_600_000
/** Most rows counted in one step, because other readers wait for a step. */
const LOOK_ROWS = 20_000

/** The size of the store by table, or as a whole if the engine cannot measure tables. */
interface Sizes {
  rows: Record<string, number>
  bytes: Record<string, number>
}

interface Measured {
  db: Db
  clock: Clock
  engine: StoreEngine
  tables: readonly string[]
}

/** Measures the store once an hour, on one instance. Counting at each request for metrics would be too expensive. */
export const measureStore = ({ db, clock, engine, tables }: Measured): Job => ({
  kind: 'store.measure',
  everyMilliseconds: HOUR,
  async run(_payload, signal) {
    const sizes = engine === 'postgres' ? await askPostgres(db, tables) : await countSqlite(db, tables, signal)
    if (!signal.aborted) await replaceFact(db, { name: 'sizes', value: JSON.stringify(sizes), now: clock.now() })
  },
})

/** Sizes that PostgreSQL knows without counting rows. */
async function askPostgres(db: Db, tables: readonly string[]): Promise<Sizes> {
  const { rows } = await sql<{ name: string; rows: number; bytes: number }>`
    select relname as name, greatest(reltuples, 0)::int8 as rows, pg_total_relation_size(oid) as bytes
    from pg_class where oid = any(${`{${tables.join()}}`}::regclass[])`.execute(db)
  return {
    rows: Object.fromEntries(rows.map((row) => [row.name, row.rows])),
    bytes: Object.fromEntries(rows.map((row) => [row.name, row.bytes])),
  }
}

async function countSqlite(db: Db, tables: readonly string[], signal: AbortSignal): Promise<Sizes> {
  const rows: Record<string, number> = {}
  for (const table of tables) {
    rows[table] = 0
    let after = -1
    while (!signal.aborted) {
      const {
        rows: [look],
      } = await sql<{ count: number; last: number }>`
        select count(*) as count, max(rowid) as last from
          (select rowid from ${sql.table(table)} where rowid > ${after} order by rowid limit ${LOOK_ROWS})`.execute(db)
      rows[table] += look!.count
      after = look!.last
      if (look!.count < LOOK_ROWS) break
    }
  }
  const {
    rows: [file],
  } = await sql<{ bytes: number }>`
    select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`.execute(db)
  return { rows, bytes: { all: file!.bytes } }
}

/** The latest measurement. */
export function sizeGauges(db: Db): readonly Gauge[] {
  const read = (what: keyof Sizes) => async () => {
    const text = await findFact(db, 'sizes')
    const sizes = text === undefined ? {} : (JSON.parse(text) as Sizes)[what]
    return Object.entries(sizes).map(([kind, value]) => ({ labels: { kind }, value }))
  }
  const labels = ['kind']
  return [
    {
      name: 'gateway_store_rows',
      help: 'Rows of the store by table, measured once an hour.',
      labels,
      read: read('rows'),
    },
    {
      name: 'gateway_store_bytes',
      help: 'Bytes of the store by table, measured once an hour; with SQLite all of it together.',
      labels,
      read: read('bytes'),
    },
  ]
}
