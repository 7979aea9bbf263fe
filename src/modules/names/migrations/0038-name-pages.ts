import type { Kysely } from 'kysely'

/** Whether search engines may list the public page of a username, which only its owner decides. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('usernames')
    .addColumn('indexed', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}
