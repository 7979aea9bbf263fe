import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Free uses of callers, shared by all instances and kept over restarts. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  await db.schema
    .createTable('free_uses')
    .addColumn('caller', 'text', (column) => column.notNull())
    .addColumn('meter', 'text', (column) => column.notNull())
    .addColumn('ends_at', timeColumn(engine), (column) => column.notNull())
    .addColumn('taken', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('free_uses_key', ['caller', 'meter'])
    .execute()
}
