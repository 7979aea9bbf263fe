import { type Kysely, sql } from 'kysely'
import { type StoreEngine, rawColumn } from '../../../kernel/dialect.ts'

/** What of a refund was paid beyond the price (refunds that were made before gave back of the price alone), and who has given back. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  await db.schema
    .alterTable('checkout_refunds')
    .addColumn('excess_raw', rawColumn(engine), (column) => column.notNull().defaultTo('0'))
    .execute()
  await sql`create index checkouts_refunded on checkouts (owner, created_at) where refunded_raw <> '0'`.execute(db)
}
