import { type Kysely, sql } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** The state of the service's components by day, and incidents. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const { schema } = db
  await schema
    .createTable('status_days')
    .addColumn('component', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('looks', 'integer', (column) => column.notNull())
    .addColumn('degraded', 'integer', (column) => column.notNull())
    .addColumn('down', 'integer', (column) => column.notNull())
    .addColumn('last_at', time, (column) => column.notNull())
    .addColumn('last_state', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('status_days_key', ['component', 'day'])
    .execute()
  await schema
    .createTable('status_incidents')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('component', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('started_at', time, (column) => column.notNull())
    .addColumn('ended_at', time)
    .execute()
  // Two instances that check at once must start only one incident.
  await sql`create unique index status_incidents_open on status_incidents (component) where ended_at is null`.execute(
    db,
  )
  await schema.createIndex('status_incidents_started').on('status_incidents').column('started_at').execute()
}
