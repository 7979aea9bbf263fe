import { type ColumnDataType, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Db } from './db.ts'

/** The database engine. All differences between engines are in this file. */
export type StoreEngine = 'sqlite' | 'postgres'

/** Everything that differs between engines; a new engine compiles only if it defines all of it. */
interface Dialect {
  /** Column of an amount in raw. SQLite needs text, which is exact but sorts wrongly; PostgreSQL has a type for it. */
  rawColumn: ColumnDataType | RawBuilder<unknown>
  /** Column of a time in milliseconds. */
  timeColumn: ColumnDataType
  /** Exact sum of amounts in raw, as text. */
  sumRaw(column: string): RawBuilder<string>
  /** A member of a JSON object in a text column, as text. */
  jsonMember(column: string, key: string): RawBuilder<string>
  /**
   * Added to the query that claims jobs, so that instances claim different ones. SQLite has only one writer at a time
   * anyway.
   */
  skipLocked: RawBuilder<unknown>
  /**
   * Takes a lock until the transaction ends, shared with other transactions or exclusively. SQLite has only one writer
   * at a time anyway.
   */
  sharedLock(number: number): RawBuilder<unknown>
  soleLock(number: number): RawBuilder<unknown>
}

const sqlite: Dialect = {
  rawColumn: 'text',
  timeColumn: 'integer',
  sumRaw: (column) => sql`coalesce(sum_raw(${sql.ref(column)}), '0')`,
  jsonMember: (column, key) => {
    const [json, path] = [sql.ref(column), sql.lit(`$.${JSON.stringify(key)}`)]
    // SQLite returns numbers for booleans.
    return sql`case json_type(${json}, ${path}) when 'true' then 'true' when 'false' then 'false'
      else cast(json_extract(${json}, ${path}) as text) end`
  },
  skipLocked: sql``,
  sharedLock: () => sql`1`,
  soleLock: () => sql`1`,
}

const postgres: Dialect = {
  rawColumn: sql`numeric(39,0)`,
  timeColumn: 'int8',
  sumRaw: (column) => sql`coalesce(sum(${sql.ref(column)}), 0)::text`,
  jsonMember: (column, key) => sql`(${sql.ref(column)}::json ->> ${sql.lit(key)})`,
  skipLocked: sql`for update skip locked`,
  sharedLock: (number) => sql`pg_advisory_xact_lock_shared(${sql.lit(number)})`,
  soleLock: (number) => sql`pg_advisory_xact_lock(${sql.lit(number)})`,
}

const DIALECTS: Record<StoreEngine, Dialect> = { sqlite, postgres }

export const rawColumn = (engine: StoreEngine) => DIALECTS[engine].rawColumn
export const timeColumn = (engine: StoreEngine) => DIALECTS[engine].timeColumn
export const sumRaw = (engine: StoreEngine, column: string) => DIALECTS[engine].sumRaw(column)
export const jsonMember = (engine: StoreEngine, column: string, key: string) => DIALECTS[engine].jsonMember(column, key)
export const skipLocked = (engine: StoreEngine) => DIALECTS[engine].skipLocked

/** PostgreSQL identifies locks by numbers, which are shared by the whole database. */
const LOCKS = { sends: 7_620_001 } as const
type LockName = keyof typeof LOCKS

const dialectOf = (db: Db) => DIALECTS[db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite']

/**
 * The part of a statement that takes a shared lock until its transaction ends. Later statements of the transaction see
 * what an exclusive holder has committed before.
 */
export const sharedLock = (db: Db, name: LockName) => dialectOf(db).sharedLock(LOCKS[name])

/** Waits until no other transaction holds the lock, then keeps it exclusively until the transaction ends. */
export async function takeAlone(db: Db, name: LockName): Promise<void> {
  await sql`select ${dialectOf(db).soleLock(LOCKS[name])}`.execute(db)
}

const UNIQUE_VIOLATIONS = new Set<unknown>([1555, 2067, '23505'])

/** Whether a write failed because the key exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return UNIQUE_VIOLATIONS.has((error as { code?: unknown }).code)
}
