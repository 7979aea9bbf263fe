import type { Kysely } from 'kysely'

/** Marks prepared work; the first caller who asks for it is charged for it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('works')
    .addColumn('prepared', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}
