import type { Kysely } from 'kysely'
import type { StoreEngine } from './dialect.ts'

/**
 * Every table. Each module adds its own where it declares them (`tables.ts`), so that the kernel knows no module. Times are
 * milliseconds, amounts of raw are text, JSON is text.
 */
export interface Tables {}

/** A database or a transaction on one; store functions take it as their first argument. */
export type Db = Kysely<Tables>

/** Changes of the schema by name, for both engines. Names never change; all modules share one sequence of numbers. */
export type Migrations = Record<string, (db: Kysely<unknown>, engine: StoreEngine) => Promise<void>>
