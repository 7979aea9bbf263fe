import type { Kysely } from 'kysely'
import type { StoreEngine } from './dialect.ts'

/** Changes of the schema by name, for both engines. Names are for ever; their numbers are one row for the whole house. */
export type Migrations = Record<string, (db: Kysely<unknown>, engine: StoreEngine) => Promise<void>>
