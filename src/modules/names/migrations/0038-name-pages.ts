import type { Kysely } from 'kysely'

/** Whether search engines may list the public page of a name: its owner says so, and nobody else. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('usernames')
    .addColumn('indexed', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}
