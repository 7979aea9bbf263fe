import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** How often a representative was online when the gateway checked, by day. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  await db.schema
    .createTable('rep_days')
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('day', timeColumn(engine), (column) => column.notNull())
    .addColumn('online', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('rep_days_key', ['account', 'day'])
    .execute()
  await db.schema.createIndex('rep_days_day').on('rep_days').column('day').execute()
}
