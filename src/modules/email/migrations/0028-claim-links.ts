import type { Kysely } from 'kysely'

/** Money for the person who opens a link, without any mail: stores which refund a link belongs to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('email_payments').addColumn('link_for', 'text').execute()
}
