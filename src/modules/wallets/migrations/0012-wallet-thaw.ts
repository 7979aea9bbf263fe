import { type Kysely, sql } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Adds unfreezing: a frozen wallet may continue after taking over the ledger's state. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  await db.schema.alterTable('wallets').addColumn('thawed_at', timeColumn(engine)).execute()
  await sql`create index wallets_thawed on wallets (id) where thawed_at is not null`.execute(db)
}
