import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { addFunctions } from '../../src/infra/db/sqlite-functions.ts'
import type { Tables } from '../../src/kernel/db.ts'

type Row<T extends keyof Tables> = { [C in keyof Tables[T]]: Tables[T][C] }
export type Rows = { [T in keyof Tables]?: Row<T>[] }

/** Writes many rows directly, because the gateway would need hours for a million; the rows are the same. */
export interface Bulk {
  insert(rows: Rows): Promise<void>
  /** Runs a statement that generates its rows. */
  run(statement: string): Promise<void>
  /** Updates the engine's statistics, which otherwise happens in the background. */
  analyze(): Promise<void>
  close(): Promise<void>
}

export async function openBulk(url: string): Promise<Bulk> {
  return url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length)) : openPostgres(url)
}

function openSqlite(file: string): Bulk {
  const db = new DatabaseSync(file)
  addFunctions(db)
  // No syncs: the rows can be made again.
  db.exec('pragma busy_timeout = 60000; pragma synchronous = off; pragma cache_size = -200000')
  return {
    insert: (rows) => {
      db.exec('begin immediate')
      for (const [table, list] of Object.entries(rows)) {
        if (list.length === 0) continue
        const columns = Object.keys(list[0]!)
        const places = columns.map(() => '?').join(', ')
        const statement = db.prepare(`insert into ${table} (${columns.join(', ')}) values (${places})`)
        for (const row of list) statement.run(...Object.values(row))
      }
      db.exec('commit')
      return Promise.resolve()
    },
    run: (statement) => Promise.resolve(db.exec(statement)),
    analyze: () => Promise.resolve(db.exec('pragma analysis_limit = 2000; analyze; pragma wal_checkpoint(truncate)')),
    close: () => Promise.resolve(db.close()),
  }
}

async function openPostgres(url: string): Promise<Bulk> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('set synchronous_commit = off')
  return {
    async insert(rows) {
      for (const [table, list] of Object.entries(rows)) {
        if (list.length === 0) continue
        const source = `select * from json_populate_recordset(null::${table}, $1::json)`
        await client.query(`insert into ${table} ${source}`, [JSON.stringify(list)])
      }
    },
    run: async (statement) => void (await client.query(statement)),
    analyze: async () => void (await client.query('analyze')),
    close: () => client.end(),
  }
}
