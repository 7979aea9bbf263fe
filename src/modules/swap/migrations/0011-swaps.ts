import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Exchanges of one currency for another, followed until they end. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  await db.schema
    .createTable('swaps')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text')
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('from_code', 'text', (column) => column.notNull())
    .addColumn('to_code', 'text', (column) => column.notNull())
    .addColumn('send', 'text', (column) => column.notNull())
    .addColumn('receive', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('refund_address', 'text', (column) => column.notNull())
    .addColumn('deposit_address', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('looked_at', time, (column) => column.notNull())
    .addColumn('expires_at', time, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('swaps_status').on('swaps').columns(['status', 'looked_at']).execute()
}
