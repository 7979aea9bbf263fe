import { type Kysely, sql } from 'kysely'
import { type StoreEngine, rawColumn, timeColumn } from '../../../kernel/dialect.ts'

export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  await db.schema
    .createTable('faucet_claims')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('amount_raw', rawColumn(engine), (column) => column.notNull())
    .addColumn('idempotency_key', 'text')
    .addColumn('created_at', time, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('faucet_claims_account')
    .on('faucet_claims')
    .columns(['account_id', 'created_at', 'id'])
    .execute()
  await sql`create unique index faucet_claims_key on faucet_claims (account_id, idempotency_key)
    where idempotency_key is not null`.execute(db)
}
