import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Pictures that an account has uploaded. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const { schema } = db
  await schema
    .createTable('account_pictures')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('width', 'integer', (column) => column.notNull())
    .addColumn('height', 'integer', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('created_at', timeColumn(engine), (column) => column.notNull())
    .execute()
  await schema.createIndex('account_pictures_account').on('account_pictures').column('account_id').execute()
}
