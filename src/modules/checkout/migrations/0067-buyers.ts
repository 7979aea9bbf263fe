import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Who bought, beside the checkout: most have no buyer, and none may slow down a payment. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  await db.schema
    .createTable('checkout_buyers')
    .addColumn('checkout_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('email', 'text')
    .addColumn('language', 'text', (column) => column.notNull())
    .addColumn('given_by', 'text', (column) => column.notNull())
    .addColumn('changes', 'integer', (column) => column.notNull())
    .addColumn('created_at', timeColumn(engine), (column) => column.notNull())
    .addColumn('receipt_at', timeColumn(engine))
    .execute()
  await db.schema.createIndex('checkout_buyers_owner').on('checkout_buyers').column('owner').execute()
}
