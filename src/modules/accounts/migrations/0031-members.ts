import { type Kysely, sql } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** The people of an account, by email address. The address of an existing account becomes its owner. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const { schema } = db
  await schema
    .createTable('members')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('invited_by', 'text')
    .addColumn('invited_at', time, (column) => column.notNull())
    .addColumn('expires_at', time)
    .addColumn('joined_at', time)
    .addColumn('ended_at', time)
    .execute()
  // An address can be in an account only once at a time; someone who has left may come back.
  await sql`create unique index members_live on members (account_id, email) where ended_at is null`.execute(db)
  await schema.createIndex('members_email').on('members').column('email').execute()
  await sql`insert into members (id, account_id, email, role, invited_at, joined_at)
    select 'mem_' || id, id, email, 'owner', created_at, created_at from accounts where email is not null`.execute(db)
}
