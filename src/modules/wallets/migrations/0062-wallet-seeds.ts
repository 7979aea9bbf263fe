import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Stores the seeds from which keys of wallets are derived, encrypted by every master key, and from which seed each key came. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  await db.schema
    .createTable('wallet_seeds')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    // 1 for the seed of new wallets, otherwise null: a unique index counts nulls as different.
    .addColumn('active', 'integer', (column) => column.unique())
    .addColumn('next_index', time, (column) => column.notNull())
    .addColumn('shown_at', time)
    .addColumn('checked_at', time)
    .addColumn('created_at', time, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('wallet_seed_seals')
    .addColumn('seed_id', 'text', (column) => column.notNull().references('wallet_seeds.id'))
    .addColumn('master_key_id', 'text', (column) => column.notNull())
    .addColumn('wrapped_data_key', 'text', (column) => column.notNull())
    .addColumn('sealed_key', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('wallet_seed_seals_key', ['seed_id', 'master_key_id'])
    .execute()
  await db.schema.alterTable('wallet_keys').addColumn('seed_id', 'text').execute()
  await db.schema.alterTable('wallet_keys').addColumn('seed_index', time).execute()
  await db.schema
    .createIndex('wallet_keys_derived')
    .on('wallet_keys')
    .columns(['seed_id', 'seed_index'])
    .unique()
    .execute()
}
