import { type Kysely, sql } from 'kysely'

/** Orders that ask for the bare price, and which account has used an address. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const bare = db.schema.alterTable('checkouts')
  await bare.addColumn('bare_price', 'integer', (column) => column.notNull().defaultTo(0)).execute()
  // Checkouts of a public key must not keep a secret key from an address, so opening a checkout checks who may sum there, not an index.
  await db.schema.dropIndex('checkouts_summing').execute()
  const used = db.schema.createIndex('checkouts_used').on('checkouts')
  await used.columns(['address', 'owner', 'watched_until']).execute()
  await sql`create index checkouts_merchant on checkouts (merchant_address) where mode = 'generated_wallet'`.execute(db)
}
