import { type Kysely, sql } from 'kysely'

/** A till without an address of its own is paid where the account's money goes. The column is copied: SQLite drops no constraint. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema.alterTable('points_of_sale').addColumn('own_address', 'text').execute()
  await sql`update points_of_sale set own_address = address`.execute(db)
  await schema.alterTable('points_of_sale').dropColumn('address').execute()
  await schema.alterTable('points_of_sale').renameColumn('own_address', 'address').execute()
}
