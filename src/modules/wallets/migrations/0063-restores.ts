import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Stores that the store was set back to a backup, until the operator has settled what was sent since. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  await db.schema
    .createTable('store_restores')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    // 1 until it is settled, then null: a unique index counts nulls as different.
    .addColumn('unsettled', 'integer', (column) => column.unique())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('settled_at', time)
    .execute()
}
