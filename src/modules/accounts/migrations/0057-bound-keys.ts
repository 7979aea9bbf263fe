import type { Kysely } from 'kysely'

/** What a public key is bound to. Those that are there go on without. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('bound_to', 'text').execute()
}
