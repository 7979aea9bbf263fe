import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Sessions ended early, kept until their last token would have expired. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  await db.schema
    .createTable('ended_sessions')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('expires_at', timeColumn(engine), (column) => column.notNull())
    .execute()
}
