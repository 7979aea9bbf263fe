import type { Kysely } from 'kysely'

/** Invoices of checkouts, and the last number assigned for each account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema.alterTable('checkouts').addColumn('invoice', 'text').execute()
  await schema.alterTable('checkouts').addColumn('invoice_number', 'text').execute()
  await schema
    .createTable('invoice_counters')
    .addColumn('owner', 'text', (column) => column.primaryKey().notNull())
    .addColumn('last', 'integer', (column) => column.notNull())
    .execute()
}
