import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Rights, end and daily spending limit of a key. Existing keys keep all rights. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const { schema } = db
  await schema.alterTable('api_keys').addColumn('scopes', 'text').execute()
  await schema.alterTable('api_keys').addColumn('limits', 'text').execute()
  await schema.alterTable('api_keys').addColumn('lasts_until', time).execute()
  await schema
    .createTable('key_spends')
    .addColumn('limit_id', 'text', (column) => column.notNull())
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('amount_raw', 'text', (column) => column.notNull())
    .addColumn('covers', 'text')
    .addColumn('covered_raw', 'text')
    .addPrimaryKeyConstraint('key_spends_key', ['limit_id', 'reference'])
    .execute()
  await schema.createIndex('key_spends_reference').on('key_spends').column('reference').execute()
  await schema.createIndex('key_spends_day').on('key_spends').column('day').execute()
  await schema
    .createTable('key_spend_days')
    .addColumn('limit_id', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('spent_raw', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('key_spend_days_key', ['limit_id', 'day'])
    .execute()
}
