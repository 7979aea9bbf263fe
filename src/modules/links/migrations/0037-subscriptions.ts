import { type Kysely, sql } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Links with recurring payments, and their subscribers. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const { schema } = db
  await schema.alterTable('payment_links').addColumn('every', 'text').execute()
  await schema
    .alterTable('payment_links')
    .addColumn('grace_days', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema.alterTable('link_orders').addColumn('subscription_id', 'text').execute()
  await schema
    .createTable('subscriptions')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('email', 'text')
    .addColumn('language', 'text', (column) => column.notNull())
    .addColumn('plan', 'text')
    .addColumn('every', 'text', (column) => column.notNull())
    .addColumn('grace_days', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('began_at', time)
    .addColumn('periods', 'integer', (column) => column.notNull())
    .addColumn('paid_until', time)
    .addColumn('checkout_id', 'text')
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('ended_at', time)
    .addColumn('due_at', time)
    .execute()
  await schema.createIndex('subscriptions_link').on('subscriptions').columns(['link_id', 'created_at', 'id']).execute()
  await sql`create index subscriptions_due on subscriptions (due_at) where due_at is not null`.execute(db)
}
