import { type Kysely, sql } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Stores which block of a wallet's chain all nodes deny, and blocks released because they can never be confirmed. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const add = () => db.schema.alterTable('wallets')
  await add().addColumn('denied_hash', 'text').execute()
  await add().addColumn('denied_at', time).execute()
  await add()
    .addColumn('denied_rounds', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await add().addColumn('voided_at', time).execute()
  await sql`create index wallets_denied on wallets (id) where denied_at is not null`.execute(db)
  await sql`create index wallets_voided on wallets (id) where voided_at is not null`.execute(db)
  await sql`create index wallet_blocks_void on wallet_blocks (wallet_id) where status = 'void'`.execute(db)
}
