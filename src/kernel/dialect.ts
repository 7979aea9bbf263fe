import { type ColumnDataType, type RawBuilder, sql } from 'kysely'

/** Which engine keeps the data. Everything in which the two differ is in this file. */
export type Engine = 'sqlite' | 'postgres'

/** Column of an amount in raw: text sorts wrongly but is exact; PostgreSQL has a type for it. */
export function rawColumn(engine: Engine): ColumnDataType | RawBuilder<unknown> {
  return engine === 'sqlite' ? 'text' : sql`numeric(39,0)`
}

/** Column of a time in milliseconds. */
export function timeColumn(engine: Engine): ColumnDataType {
  return engine === 'sqlite' ? 'integer' : 'int8'
}

/** Exact sum of amounts in raw, as text. */
export function sumRaw(engine: Engine, column: string): RawBuilder<string> {
  return engine === 'sqlite'
    ? sql<string>`coalesce(sum_raw(${sql.ref(column)}), '0')`
    : sql<string>`coalesce(sum(${sql.ref(column)}), 0)::text`
}

/** Added to the query that picks jobs: several instances pick different ones. SQLite has one writer at a time anyway. */
export function skipLocked(engine: Engine): RawBuilder<unknown> {
  return engine === 'sqlite' ? sql`` : sql`for update skip locked`
}

const UNIQUE_VIOLATIONS = new Set<unknown>([1555, 2067, '23505'])

/** Whether a write failed because somebody else was first. */
export function isUniqueViolation(error: unknown): boolean {
  return UNIQUE_VIOLATIONS.has((error as { code?: unknown }).code)
}
