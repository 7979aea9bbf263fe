import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** The public profile of an account. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const { schema } = db
  await schema
    .createTable('account_profiles')
    .addColumn('account_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text')
    .addColumn('logo_url', 'text')
    .addColumn('logo_id', 'text')
    .addColumn('support_email', 'text')
    .addColumn('support_url', 'text')
    .addColumn('terms_url', 'text')
    .addColumn('website', 'text')
    .addColumn('accent', 'text')
    .addColumn('updated_at', timeColumn(engine), (column) => column.notNull())
    .execute()
  await schema
    .createTable('account_logos')
    .addColumn('account_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('width', 'integer', (column) => column.notNull())
    .addColumn('height', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()
  await schema.createIndex('account_logos_id').on('account_logos').column('id').execute()
}
