import { type Kysely, sql } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const { schema } = db
  await schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('email', 'text')
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .execute()
  // Addresses are compared regardless of case; an account made on the command line has none.
  await sql`create unique index accounts_email on accounts (lower(email)) where email is not null`.execute(db)
  await schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('start', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('origins', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('expires_at', time)
    .addColumn('revoked_at', time)
    .addColumn('last_used_at', time)
    .execute()
  await schema.createIndex('api_keys_account').on('api_keys').column('account_id').execute()
  await schema
    .createTable('sign_in_links')
    .addColumn('token_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('expires_at', time, (column) => column.notNull())
    .addColumn('used_at', time)
    .execute()
  await schema
    .createTable('session_secrets')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .execute()
  await schema
    .createTable('audit_entries')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('at', time, (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text')
    .addColumn('what', 'text', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .execute()
  await schema.createIndex('audit_entries_account').on('audit_entries').columns(['account_id', 'at']).execute()
}
