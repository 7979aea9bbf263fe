import type { Kysely } from 'kysely'

/** The addresses and templates that a public key is bound to. Existing keys stay unbound. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('bound_to', 'text').execute()
}
