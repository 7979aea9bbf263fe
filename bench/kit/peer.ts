import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import pg from 'pg'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { createDatabase } from '../../test/support/postgres.ts'
import { measure } from './load.ts'
import type { Bench } from './servers.ts'

const CALLERS = 32

/**
 * Baseline: how many durable single-row transactions a second the same engine manages on this machine. Machines and disks differ more than programs, so
 * our operations are compared with this rate.
 */
export async function measureBareInserts(bench: Bench, engine: StoreEngine, seconds: number): Promise<number> {
  return engine === 'sqlite' ? bareSqlite(bench, seconds) : barePostgres(seconds)
}

async function bareSqlite(bench: Bench, seconds: number): Promise<number> {
  const db = new DatabaseSync(join(bench.folder, 'peer.db'))
  db.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table if not exists peer (id integer primary key, text text)',
  )
  const insert = db.prepare('insert into peer (text) values (?)')
  const { rate } = await measure({ callers: 1, seconds }, () => Promise.resolve(insert.run('x'.repeat(200))))
  db.close()
  return rate
}

async function barePostgres(seconds: number): Promise<number> {
  const pool = new pg.Pool({ connectionString: await createDatabase(), max: 16 })
  await pool.query('create table peer (id bigserial primary key, text text)')
  const insert = () => pool.query('insert into peer (text) values ($1)', ['x'.repeat(200)])
  const { rate } = await measure({ callers: CALLERS, seconds }, insert)
  await pool.end()
  return rate
}
