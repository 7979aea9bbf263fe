import { type Kysely, sql } from 'kysely'
import { type StoreEngine, rawColumn, timeColumn } from '../../../kernel/dialect.ts'

/** Payments by request, one row for each block, and recently offered terms. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const { schema } = db
  await schema
    .createTable('x402_payments')
    .addColumn('block_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('block_json', 'text', (column) => column.notNull())
    .addColumn('network', 'text', (column) => column.notNull())
    .addColumn('payer', 'text', (column) => column.notNull())
    .addColumn('previous', 'text', (column) => column.notNull())
    .addColumn('amount_raw', rawColumn(engine), (column) => column.notNull())
    .addColumn('pay_to', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('body_fingerprint', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('fence', time, (column) => column.notNull())
    .addColumn('lease_until', time)
    .addColumn('answer', 'text')
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('updated_at', time, (column) => column.notNull())
    .execute()
  // Only one of two blocks on a frontier can ever be confirmed, so only one is tried at a time.
  await sql`create unique index x402_payments_frontier on x402_payments (payer, previous) where state in ('claimed', 'pending')`.execute(
    db,
  )
  await schema.createIndex('x402_payments_updated').on('x402_payments').columns(['state', 'updated_at']).execute()
  await schema
    .createTable('x402_offers')
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('pay_to', 'text', (column) => column.notNull())
    .addColumn('amount_raw', rawColumn(engine), (column) => column.notNull())
    .addColumn('expires_at', time, (column) => column.notNull())
    .addPrimaryKeyConstraint('x402_offers_key', ['action', 'pay_to', 'amount_raw'])
    .execute()
}
