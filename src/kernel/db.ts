import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'

/** A database or a transaction on one; store functions take it first. */
export type Db = Kysely<Tables>
