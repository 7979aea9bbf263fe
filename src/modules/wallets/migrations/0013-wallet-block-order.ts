import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Adds the order in which a wallet's blocks were requested, and whether a send was for the whole balance. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const { schema } = db
  await schema
    .alterTable('wallet_blocks')
    .addColumn('sends_all', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema
    .alterTable('wallet_blocks')
    .addColumn('sequence', timeColumn(engine), (column) => column.notNull().defaultTo(0))
    .execute()
  await schema.createIndex('wallet_blocks_sequence').on('wallet_blocks').columns(['wallet_id', 'sequence']).execute()
}
