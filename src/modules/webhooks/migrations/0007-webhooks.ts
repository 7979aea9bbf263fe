import { type Kysely, sql } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Events, their deliveries with every attempt, and signing secrets. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  await createEvents(db, engine)
  await createDeliveries(db, engine)
  const time = timeColumn(engine)
  await db.schema
    .createTable('webhook_secrets')
    .addColumn('account_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('previous_sealed', 'text')
    .addColumn('previous_until', time)
    .execute()
  await db.schema
    .createTable('disabled_webhooks')
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('disabled_at', time, (column) => column.notNull())
    .addPrimaryKeyConstraint('disabled_webhooks_key', ['owner', 'url'])
    .execute()
}

async function createEvents({ schema }: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  await schema
    .createTable('events')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text')
    .addColumn('position', time)
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('dedupe_key', 'text', (column) => column.notNull())
    .addColumn('body', 'text')
    .addColumn('url', 'text')
    .addColumn('sealed_secret', 'text')
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('delivered_at', time)
    .addUniqueConstraint('events_once', ['subject', 'type', 'dedupe_key'])
    .execute()
  await schema.createIndex('events_position').unique().on('events').columns(['account_id', 'position']).execute()
  await schema.createIndex('events_created').on('events').column('created_at').execute()
  await schema
    .createTable('event_positions')
    .addColumn('account_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('last', time, (column) => column.notNull())
    .execute()
}

async function createDeliveries(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  await db.schema
    .createTable('deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('event_id', 'text', (column) => column.notNull().references('events.id'))
    .addColumn('cause', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_at', time)
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('finished_at', time)
    .execute()
  await db.schema.createIndex('deliveries_event').on('deliveries').column('event_id').execute()
  // Most deliveries have succeeded long ago, and no query looks for those by state.
  await sql`create index deliveries_undelivered on deliveries (state, next_at) where state <> 'delivered'`.execute(db)
  await db.schema
    .createTable('delivery_attempts')
    .addColumn('delivery_id', 'text', (column) => column.notNull().references('deliveries.id'))
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('error', 'text')
    .addColumn('milliseconds', time, (column) => column.notNull())
    .addColumn('response', 'text', (column) => column.notNull())
    .addColumn('at', time, (column) => column.notNull())
    .addPrimaryKeyConstraint('delivery_attempts_key', ['delivery_id', 'attempt'])
    .execute()
}
