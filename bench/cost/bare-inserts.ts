import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { createDatabase } from '../../test/support/postgres.ts'
import { familyMicroseconds } from '../kit/machine.ts'
import { type Bench, postmasterOf } from '../kit/servers.ts'

const TEXT = 'x'.repeat(200)
const CALLERS = 16

export interface BareStore {
  /** Processor time of a durable transaction that keeps so many rows and nothing else: ours, and the database's beside it. */
  keep(transactions: number): Promise<number>
  close(): Promise<void>
}

export function openBareStore(bench: Bench, engine: StoreEngine, rows = 5): Promise<BareStore> {
  return engine === 'sqlite' ? Promise.resolve(openSqlite(bench, rows)) : openPostgres(rows)
}

const own = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

let files = 0

function openSqlite(bench: Bench, rows: number): BareStore {
  const db = new DatabaseSync(join(bench.folder, `bare-${++files}.db`))
  db.exec('pragma journal_mode = wal; pragma synchronous = full; create table bare (id integer primary key, text text)')
  const insert = db.prepare('insert into bare (text) values (?)')
  return {
    keep(transactions) {
      const before = own()
      for (let at = 0; at < transactions; at++) {
        db.exec('begin immediate')
        for (let row = 0; row < rows; row++) insert.run(TEXT)
        db.exec('commit')
      }
      return Promise.resolve((own() - before) / transactions)
    },
    close: () => Promise.resolve(db.close()),
  }
}

async function openPostgres(rows: number): Promise<BareStore> {
  const url = await createDatabase()
  const postmaster = await postmasterOf(url)
  const pool = new pg.Pool({ connectionString: url, max: CALLERS })
  await pool.query('create table bare (id bigserial primary key, text text)')
  const places = Array.from({ length: rows }, (_, at) => `($${at + 1})`).join(', ')
  const insert = { name: 'keep', text: `insert into bare (text) values ${places}`, values: Array(rows).fill(TEXT) }
  const spent = () => own() + familyMicroseconds(postmaster)
  return {
    async keep(transactions) {
      const before = spent()
      let left = transactions
      await Promise.all(
        Array.from({ length: CALLERS }, async () => {
          while (left-- > 0) await pool.query(insert)
        }),
      )
      return (spent() - before) / transactions
    },
    close: () => pool.end(),
  }
}
