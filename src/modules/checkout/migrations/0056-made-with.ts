import { type Kysely, sql } from 'kysely'

/** Which checkouts a public key made. Until now none was bound. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('checkouts').addColumn('made_with', 'text').execute()
  await sql`update checkouts set made_with = 'public_key'
    where key_id in (select id from api_keys where kind = 'public')`.execute(db)
  // Finds what the account itself has made at an address among all that strangers have.
  await db.schema.dropIndex('checkouts_used').execute()
  const used = db.schema.createIndex('checkouts_used').on('checkouts')
  await used.columns(['address', 'owner', 'made_with', 'watched_until']).execute()
}
