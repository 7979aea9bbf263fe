import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Proofs of payments, by the votes that confirmed them. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  await db.schema
    .createTable('checkout_proofs')
    .addColumn('checkout_id', 'text', (column) => column.notNull())
    .addColumn('block_hash', 'text', (column) => column.notNull())
    .addColumn('proof', 'text', (column) => column.notNull())
    .addColumn('created_at', timeColumn(engine), (column) => column.notNull())
    .addPrimaryKeyConstraint('checkout_proofs_key', ['checkout_id', 'block_hash'])
    .execute()
}
