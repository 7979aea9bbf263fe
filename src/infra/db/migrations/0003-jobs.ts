import { type Kysely, sql } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Tables for jobs, for mail that is kept instead of sent, and for answers to repeated requests. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const { schema } = db
  await schema
    .createTable('jobs')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('key', 'text')
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('run_at', time, (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('attempts_max', 'integer', (column) => column.notNull())
    .addColumn('locked_until', time)
    .addColumn('fence', time, (column) => column.notNull())
    .addColumn('last_error', 'text')
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('finished_at', time)
    .execute()
  await sql`create unique index jobs_key on jobs (kind, key) where key is not null and status in ('ready', 'running')`.execute(
    db,
  )
  await sql`create index jobs_due on jobs (kind, run_at) where status in ('ready', 'running')`.execute(db)
  await schema
    .createTable('mails')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('recipient', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('sent_at', time)
    .execute()
  await schema
    .createTable('idempotency')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('answer', 'text')
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('expires_at', time, (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_key', ['account_id', 'action', 'key'])
    .execute()
}
