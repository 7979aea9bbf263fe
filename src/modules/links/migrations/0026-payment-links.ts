import type { Kysely } from 'kysely'
import { type StoreEngine, rawColumn, timeColumn } from '../../../kernel/dialect.ts'

export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const raw = rawColumn(engine)
  const { schema } = db
  await schema
    .createTable('payment_links')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('slug', 'text', (column) => column.notNull().unique())
    .addColumn('paused', 'integer', (column) => column.notNull())
    .addColumn('fields', 'text', (column) => column.notNull())
    .addColumn('webhook_secret', 'text')
    .addColumn('quantity_min', 'integer', (column) => column.notNull())
    .addColumn('quantity_max', 'integer', (column) => column.notNull())
    .addColumn('suggested', 'text', (column) => column.notNull())
    .addColumn('sold_max', 'integer')
    .addColumn('ends_at', time)
    .addColumn('held', 'integer', (column) => column.notNull())
    .addColumn('sold', 'integer', (column) => column.notNull())
    .addColumn('orders', 'integer', (column) => column.notNull())
    .addColumn('revenue_raw', raw, (column) => column.notNull())
    .addColumn('revenue_e8', raw, (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('updated_at', time, (column) => column.notNull())
    .addColumn('deleted_at', time)
    .execute()
  await schema.createIndex('payment_links_owner').on('payment_links').columns(['owner', 'created_at', 'id']).execute()
  await schema
    .createTable('link_orders')
    .addColumn('checkout_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('visit', 'text')
    .addColumn('visitor', 'text', (column) => column.notNull())
    .addColumn('quantity', 'integer', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .execute()
  await schema.createIndex('link_orders_visit').unique().on('link_orders').columns(['link_id', 'visit']).execute()
  await schema
    .createIndex('link_orders_visitor')
    .on('link_orders')
    .columns(['link_id', 'visitor', 'created_at'])
    .execute()
}
