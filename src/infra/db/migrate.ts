import { setTimeout as sleep } from 'node:timers/promises'
import {
  DummyDriver,
  Kysely,
  type MigrationResultSet,
  Migrator,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import type { Db, Migrations } from '../../kernel/db.ts'
import type { StoreEngine } from '../../kernel/dialect.ts'
import { AppError } from '../../kernel/errors.ts'

type Change = Migrations[string]

/**
 * How long a change of the schema waits for locks on its tables, in milliseconds. PostgreSQL looks for deadlocks after
 * a second. By then the change has all locks or has given up, so PostgreSQL never aborts a request instead.
 */
const LOCKS_MAX = 300
/** Pause between two attempts, in which waiting requests can run. */
const PAUSE = 100
/**
 * After so many failed attempts it waits longer than a second, because then PostgreSQL aborts an automatic vacuum that
 * holds the lock.
 */
const TRIES_SHORT = 50
const LOCKS_MAX_LONG = 3_000
const TRIES_MAX = 500

/** PostgreSQL's code for a statement that was cancelled because it took too long. */
const CANCELED = '57014'

/**
 * Brings the schema up to date. If gateways of the previous version may still run, every change is a transaction of its
 * own, which locks all of its tables at once or none, and other users of these tables wait. An embedded store has no
 * other gateway, and an empty store has no requests.
 */
export async function migrate({ db, engine }: { db: Db; engine: StoreEngine }, migrations: Migrations): Promise<void> {
  let patience = 0
  const up = (change: Change) => async (on: Kysely<unknown>) => {
    if (patience > 0) await takeTables(on, change, patience)
    await change(on, engine)
  }
  const changes = Object.fromEntries(Object.entries(migrations).map(([name, change]) => [name, { up: up(change) }]))
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(changes) } })
  const isShared = async () =>
    engine === 'postgres' && (await migrator.getMigrations()).some(({ executedAt }) => executedAt !== undefined)
  try {
    if (!(await isShared())) return await done(migrator.migrateToLatest())
    for (let tries = 0; ;) {
      patience = tries < TRIES_SHORT ? LOCKS_MAX : LOCKS_MAX_LONG
      const { error, results = [] } = await migrator.migrateUp()
      if (error === undefined && results.length === 0) return
      if (error === undefined) tries = 0
      else if ((error as { code?: unknown }).code !== CANCELED || ++tries === TRIES_MAX) throw error
      else await sleep(PAUSE)
    }
  } catch (error) {
    throw refusalOf(error, Object.keys(migrations).length)
  }
}

async function done(migrating: Promise<MigrationResultSet>): Promise<void> {
  const { error } = await migrating
  if (error !== undefined) throw error
}

/** Locks every existing table that the change uses. */
async function takeTables(db: Kysely<unknown>, change: Change, patience: number): Promise<void> {
  const statements = await statementsOf(change)
  const { rows } = await sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = current_schema() and tablename not like 'kysely%' order by tablename`.execute(db)
  const text = statements.join('\n')
  const tables = rows.map(({ name }) => name).filter((name) => new RegExp(`\\b${name}\\b`).test(text))
  if (tables.length === 0) return
  // New indexes do not keep anybody from reading.
  const mode = statements.every((statement) => /^create (?:unique )?index/.test(statement))
    ? 'share'
    : 'access exclusive'
  await sql.raw(`set local statement_timeout = ${patience}`).execute(db)
  await sql.raw(`lock table ${tables.map((name) => `"${name}"`).join(', ')} in ${mode} mode`).execute(db)
  await sql.raw('set local statement_timeout = 0').execute(db)
}

/** The statements that a change would run on an empty store. */
async function statementsOf(change: Change): Promise<string[]> {
  const statements: string[] = []
  const nowhere = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void statements.push(query.sql.trim()),
  })
  await change(nowhere, 'postgres')
  return statements
}

/** The error for the caller that opens the store, with the message of the database. */
export function refusalOf(error: unknown, known = 0): Error {
  const reason = error instanceof AppError ? error.cause : error
  const message = reason instanceof Error ? reason.message : String(reason)
  if (/corrupted migrations|missing/i.test(message)) {
    const text = `The store was written by a newer nano-gateway (this one knows ${known} migrations). Update the gateway, or use its own store.`
    return new Error(text, { cause: error })
  }
  return new Error(`The store could not be brought up to date: ${message}`, { cause: error })
}
