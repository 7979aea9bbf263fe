import { type Kysely, sql } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Addresses that endpoints watch, and the account of a replay even after its endpoint is removed. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const { schema } = db
  await schema
    .createTable('address_watches')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('endpoint_id', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('active_at', time, (column) => column.notNull())
    .addColumn('looked_at', time, (column) => column.notNull())
    .addColumn('next_look_at', time, (column) => column.notNull())
    .addColumn('leased_until', time, (column) => column.notNull())
    .addColumn('frontier', 'text')
    .addColumn('height', time, (column) => column.notNull())
    .addColumn('known', 'text', (column) => column.notNull())
    .addColumn('told', time, (column) => column.notNull())
    .addPrimaryKeyConstraint('address_watches_key', ['account_id', 'endpoint_id', 'address'])
    .execute()
  await schema.createIndex('address_watches_address').on('address_watches').column('address').execute()
  await schema.createIndex('address_watches_created').on('address_watches').column('created_at').execute()
  await sql`create index address_watches_due on address_watches (next_look_at, active_at desc)`.execute(db)
  await sql`create index events_endpoint on events (endpoint_id, position) where endpoint_id is not null`.execute(db)
  await schema.alterTable('webhook_replays').addColumn('account_id', 'text').execute()
  await sql`update webhook_replays set account_id =
    (select account_id from webhook_endpoints where webhook_endpoints.id = webhook_replays.endpoint_id)`.execute(db)
  await sql`create index webhook_replays_account on webhook_replays (account_id, created_at)`.execute(db)
}
