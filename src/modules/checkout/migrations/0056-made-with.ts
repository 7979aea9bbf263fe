import { type Kysely, sql } from 'kysely'

/** Stores which checkouts a public key made; before this, no public key was bound. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('checkouts').addColumn('made_with', 'text').execute()
  await sql`update checkouts set made_with = 'public_key'
    where key_id in (select id from api_keys where kind = 'public')`.execute(db)
  // Finds the account's own checkouts at an address among all those made with its public keys.
  await db.schema.dropIndex('checkouts_used').execute()
  const used = db.schema.createIndex('checkouts_used').on('checkouts')
  await used.columns(['address', 'owner', 'made_with', 'watched_until']).execute()
}
