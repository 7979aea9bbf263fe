import type { Kysely } from 'kysely'
import type { StoreEngine } from './dialect.ts'

/**
 * All tables. Each module adds its own where it declares them (`tables.ts`), so the kernel depends on no module. Times
 * are milliseconds; amounts of raw and JSON are text.
 */
export interface Tables {}

/** A database or a transaction on one; store functions take it as their first argument. */
export type Db = Kysely<Tables>

/**
 * Changes of the schema for both engines, by name. Names never change, and all modules share one sequence of numbers.
 */
export type Migrations = Record<string, (db: Kysely<unknown>, engine: StoreEngine) => Promise<void>>
