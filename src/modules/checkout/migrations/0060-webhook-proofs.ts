import type { Kysely } from 'kysely'

/** Whether the event of a completion has the proof of its payment. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const checkouts = db.schema.alterTable('checkouts')
  await checkouts.addColumn('webhook_proof', 'integer', (column) => column.notNull().defaultTo(0)).execute()
}
