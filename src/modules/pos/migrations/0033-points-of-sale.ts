import type { Kysely } from 'kysely'
import { type StoreEngine, rawColumn, timeColumn } from '../../../kernel/dialect.ts'

/** Points of sale, their sales, and attempts at PINs. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const raw = rawColumn(engine)
  const { schema } = db
  await schema
    .createTable('points_of_sale')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('items', 'text', (column) => column.notNull())
    .addColumn('tips', 'text', (column) => column.notNull())
    .addColumn('time_zone', 'text', (column) => column.notNull())
    .addColumn('paused', 'integer', (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('token_mark', 'text', (column) => column.notNull())
    .addColumn('pin_mark', 'text')
    .addColumn('wrong_pins', 'integer', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('updated_at', time, (column) => column.notNull())
    .addColumn('deleted_at', time)
    .execute()
  await schema.createIndex('points_of_sale_owner').on('points_of_sale').columns(['owner', 'created_at', 'id']).execute()
  await schema
    .createTable('pos_sales')
    .addColumn('checkout_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('pos_id', 'text', (column) => column.notNull())
    .addColumn('sale_key', 'text', (column) => column.notNull())
    .addColumn('total_units', raw, (column) => column.notNull())
    .addColumn('tip_units', raw, (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .execute()
  await schema.createIndex('pos_sales_key').unique().on('pos_sales').columns(['pos_id', 'sale_key']).execute()
  await schema.createIndex('pos_sales_day').on('pos_sales').columns(['pos_id', 'created_at']).execute()
  await schema
    .createTable('pos_pin_tries')
    .addColumn('pos_id', 'text', (column) => column.notNull())
    .addColumn('who', 'text', (column) => column.notNull())
    .addColumn('tries', 'integer', (column) => column.notNull())
    .addColumn('wrong', 'integer', (column) => column.notNull())
    .addColumn('locked_until', time, (column) => column.notNull())
    .addPrimaryKeyConstraint('pos_pin_tries_key', ['pos_id', 'who'])
    .execute()
}
