import { type Kysely, sql } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Credits as a ledger of entries, reservations, and usage by day. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const { schema } = db
  await schema
    .createTable('credit_balances')
    .addColumn('account_id', 'text', (column) => column.primaryKey().notNull().references('accounts.id'))
    .addColumn('available', time, (column) => column.notNull().check(sql`available >= 0`))
    .execute()
  await schema
    .createTable('credit_entries')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('amount', time, (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('reference', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', time, (column) => column.notNull())
    .execute()
  await schema.createIndex('credit_entries_account').on('credit_entries').column('account_id').execute()
  await schema
    .createTable('credit_reservations')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('amount', time, (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('expires_at', time, (column) => column.notNull())
    .execute()
  await sql`create index credit_reservations_open on credit_reservations (expires_at) where status = 'open'`.execute(db)
  await schema
    .createTable('usage_days')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('count', time, (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_days_key', ['account_id', 'day', 'action'])
    .execute()
  await schema
    .createTable('usage_batches')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .execute()
}
