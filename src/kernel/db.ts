import type { Kysely } from 'kysely'

/**
 * Every table. Each room adds its own where it declares them (`tables.ts`), so that the kernel knows no room. Times are milliseconds,
 * amounts of raw are text, JSON is text.
 */
export interface Tables {}

/** A database or a transaction on one; store functions take it first. */
export type Db = Kysely<Tables>
