import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Requests made with the keys of an account, kept for a day. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const { schema } = db
  await schema
    .createTable('account_requests')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('at', time, (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('code', 'text')
    .addColumn('microseconds', time, (column) => column.notNull())
    .addColumn('key_id', 'text')
    .addColumn('stands_for', 'integer', (column) => column.notNull())
    .execute()
  await schema
    .createIndex('account_requests_account')
    .on('account_requests')
    .columns(['account_id', 'at', 'id'])
    .execute()
  await schema.createIndex('account_requests_at').on('account_requests').column('at').execute()
}
