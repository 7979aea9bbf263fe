import type { Kysely } from 'kysely'
import type { StoreEngine } from './dialect.ts'

/**
 * Every table. Each room adds its own where it declares them (`tables.ts`), so that the kernel knows no room. Times are milliseconds,
 * amounts of raw are text, JSON is text.
 */
export interface Tables {}

/** A database or a transaction on one; store functions take it first. */
export type Db = Kysely<Tables>

/** Changes of the schema by name, for both engines. Names are for ever; their numbers are one row for the whole house. */
export type Migrations = Record<string, (db: Kysely<unknown>, engine: StoreEngine) => Promise<void>>
