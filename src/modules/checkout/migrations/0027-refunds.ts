import { type Kysely, sql } from 'kysely'
import { type StoreEngine, rawColumn, timeColumn } from '../../../kernel/dialect.ts'

export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const raw = rawColumn(engine)
  const { schema } = db
  await schema
    .alterTable('checkouts')
    .addColumn('refunded_raw', raw, (column) => column.notNull().defaultTo('0'))
    .execute()
  await schema
    .createTable('checkout_refunds')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('checkout_id', 'text', (column) => column.notNull().references('checkouts.id'))
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('given_as', 'text', (column) => column.notNull())
    .addColumn('asked', 'text', (column) => column.notNull())
    .addColumn('reference', 'text', (column) => column.unique())
    .addColumn('amount_raw', raw, (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('fiat_e8', raw)
    .addColumn('rate', 'text')
    .addColumn('rate_source', 'text')
    .addColumn('address', 'text')
    .addColumn('wallet_id', 'text', (column) => column.notNull())
    .addColumn('from_address', 'text', (column) => column.notNull())
    .addColumn('block_id', 'text', (column) => column.notNull().unique())
    .addColumn('hash', 'text')
    .addColumn('claim_id', 'text')
    .addColumn('reason', 'text')
    .addColumn('failure', 'text')
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('sent_at', time)
    .addColumn('ended_at', time)
    .addColumn('due_at', time)
    .execute()
  await schema
    .createIndex('checkout_refunds_checkout')
    .on('checkout_refunds')
    .columns(['checkout_id', 'created_at'])
    .execute()
  await schema
    .createIndex('checkout_refunds_owner')
    .on('checkout_refunds')
    .columns(['owner', 'created_at', 'id'])
    .execute()
  await sql`create index checkout_refunds_due on checkout_refunds (due_at) where due_at is not null`.execute(db)
}
