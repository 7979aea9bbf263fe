import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Work by root, with the account whose next block has that root, if known. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  await db.schema
    .createTable('works')
    .addColumn('root', 'text', (column) => column.primaryKey().notNull())
    .addColumn('work', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('account', 'text')
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('expires_at', time, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('works_account').on('works').column('account').execute()
  await db.schema.createIndex('works_expires').on('works').column('expires_at').execute()
}
