import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Stores whose sends an operator has stopped while gateways run. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  await db.schema
    .createTable('send_freezes')
    .addColumn('scope', 'text', (column) => column.primaryKey().notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('frozen_by', 'text', (column) => column.notNull())
    .addColumn('created_at', timeColumn(engine), (column) => column.notNull())
    .execute()
}
