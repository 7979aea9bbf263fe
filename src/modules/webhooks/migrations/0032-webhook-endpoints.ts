import { type Kysely, sql } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Endpoints of an account, their deliveries, and replays. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const { schema } = db
  await schema
    .createTable('webhook_endpoints')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('events', 'text', (column) => column.notNull())
    .addColumn('filter', 'text')
    .addColumn('description', 'text')
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('disabled_reason', 'text')
    .addColumn('failing_since', time)
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addColumn('sealed_at', time, (column) => column.notNull())
    .addColumn('previous_sealed', 'text')
    .addColumn('previous_until', time)
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('updated_at', time, (column) => column.notNull())
    .execute()
  await schema.createIndex('webhook_endpoints_account').on('webhook_endpoints').column('account_id').execute()
  await schema
    .createTable('webhook_replays')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('endpoint_id', 'text', (column) => column.notNull())
    .addColumn('events', 'text', (column) => column.notNull())
    .addColumn('missed', 'integer', (column) => column.notNull())
    .addColumn('position', time, (column) => column.notNull())
    .addColumn('position_end', time, (column) => column.notNull())
    .addColumn('queued', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('finished_at', time)
    .execute()
  await sql`create unique index webhook_replays_running on webhook_replays (endpoint_id) where state = 'running'`.execute(
    db,
  )
  // Stored with the position, so that recording an event also shows whether the account has endpoints.
  await schema
    .alterTable('event_positions')
    .addColumn('endpoints', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema.alterTable('events').addColumn('endpoint_id', 'text').execute()
  await schema.alterTable('deliveries').addColumn('endpoint_id', 'text').execute()
  await schema.alterTable('delivery_attempts').addColumn('headers', 'text').execute()
  await sql`create index deliveries_endpoint on deliveries (endpoint_id, created_at, id) where endpoint_id is not null`.execute(
    db,
  )
}
