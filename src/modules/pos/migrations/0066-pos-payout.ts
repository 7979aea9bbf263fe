import { type Kysely, sql } from 'kysely'

/**
 * Allows a till without an address of its own, which is paid where the account's money goes. The column is copied to a new one that may be null,
 * because SQLite cannot drop a constraint.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema.alterTable('points_of_sale').addColumn('own_address', 'text').execute()
  await sql`update points_of_sale set own_address = address`.execute(db)
  await schema.alterTable('points_of_sale').dropColumn('address').execute()
  await schema.alterTable('points_of_sale').renameColumn('own_address', 'address').execute()
}
