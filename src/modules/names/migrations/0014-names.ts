import { type Kysely, sql } from 'kysely'
import { type StoreEngine, rawColumn, timeColumn } from '../../../kernel/dialect.ts'

/** Usernames, what the service itself sells, and the outcome of its payments. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const { schema } = db
  await schema
    .createTable('usernames')
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('display', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text')
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('expires_at', time, (column) => column.notNull())
    .addColumn('grace_until', time, (column) => column.notNull())
    .addColumn('profile', 'text', (column) => column.notNull())
    .addColumn('told', 'integer', (column) => column.notNull())
    .addColumn('changed_at', time, (column) => column.notNull())
    .execute()
  await schema.createIndex('usernames_changed').on('usernames').columns(['changed_at', 'name']).execute()
  await schema.createIndex('usernames_account').on('usernames').columns(['account_id', 'created_at', 'name']).execute()
  await sql`create index usernames_untold on usernames (expires_at) where told < 3`.execute(db)
  await schema
    .createTable('service_orders')
    .addColumn('checkout_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text')
    .addColumn('detail', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .execute()
  // A block pays for one sale of the service, whichever it is.
  await schema
    .createTable('service_payments')
    .addColumn('block_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('checkout_id', 'text')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text')
    .addColumn('payer', 'text', (column) => column.notNull())
    .addColumn('amount_raw', rawColumn(engine), (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('what', 'text')
    .addColumn('created_at', time, (column) => column.notNull())
    .execute()
  await schema.createIndex('service_payments_checkout').on('service_payments').column('checkout_id').execute()
  await schema
    .createIndex('service_payments_account')
    .on('service_payments')
    .columns(['account_id', 'created_at', 'block_hash'])
    .execute()
  await sql`create index service_payments_held on service_payments (created_at) where outcome = 'held'`.execute(db)
}
