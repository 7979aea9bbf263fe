import type { Kysely } from 'kysely'

/** Adds the purpose of each send. Earlier rows, of which there may be millions, keep null: their references give the purpose. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('wallet_blocks').addColumn('purpose', 'text').execute()
}
