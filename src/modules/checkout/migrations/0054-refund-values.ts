import { type Kysely, sql } from 'kysely'
import { type StoreEngine, rawColumn } from '../../../kernel/dialect.ts'

/** Stores how much of a refund was paid beyond the price (earlier refunds came from the price alone), and who refunded. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  await db.schema
    .alterTable('checkout_refunds')
    .addColumn('excess_raw', rawColumn(engine), (column) => column.notNull().defaultTo('0'))
    .execute()
  await sql`create index checkouts_refunded on checkouts (owner, created_at) where refunded_raw <> '0'`.execute(db)
}
