import type { Kysely } from 'kysely'

/** What each send is for. Earlier rows keep none: what they were for follows from their references, and there may be millions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('wallet_blocks').addColumn('purpose', 'text').execute()
}
