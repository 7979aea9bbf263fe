import type { Kysely } from 'kysely'

/** Work that was made before anybody asked for it; whoever asks first is counted for it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('works')
    .addColumn('prepared', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}
