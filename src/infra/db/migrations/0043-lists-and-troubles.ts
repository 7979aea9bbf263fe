import { type Kysely, sql } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Indexes that list subscriptions by owner and by state; the watch of an address stores what is wrong with it. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const { schema } = db
  const list = schema.createIndex('subscriptions_owner').on('subscriptions')
  await list.columns(['owner', 'created_at', 'id']).execute()
  const states = schema.createIndex('subscriptions_status').on('subscriptions')
  await states.columns(['owner', 'status', 'created_at', 'id']).execute()
  await schema.alterTable('address_watches').addColumn('trouble', 'text').execute()
  await schema.alterTable('address_watches').addColumn('trouble_since', timeColumn(engine)).execute()
  await sql`create index address_watches_trouble on address_watches (account_id, endpoint_id) where trouble is not null`.execute(
    db,
  )
}
