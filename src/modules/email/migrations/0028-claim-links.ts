import type { Kysely } from 'kysely'

/** Money that lies ready for whoever has a link, without any mail: what such a link belongs to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('email_payments').addColumn('link_for', 'text').execute()
}
