import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Passkeys and recovery codes of people, challenges to sign, and whether an account allows sign-in by mail in addition. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const { schema } = db
  await schema
    .createTable('passkeys')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('user_handle', 'text', (column) => column.notNull())
    .addColumn('credential_id', 'text', (column) => column.notNull().unique())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('counter', time, (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('last_used_at', time)
    .execute()
  await schema.createIndex('passkeys_email').on('passkeys').column('email').execute()
  await schema
    .createTable('recovery_codes')
    .addColumn('code_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('used_at', time)
    .execute()
  await schema.createIndex('recovery_codes_email').on('recovery_codes').column('email').execute()
  await schema
    .createTable('passkey_challenges')
    .addColumn('challenge_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('bound_to', 'text', (column) => column.notNull())
    .addColumn('user_handle', 'text')
    .addColumn('expires_at', time, (column) => column.notNull())
    .execute()
  await schema.createIndex('passkey_challenges_expire').on('passkey_challenges').column('expires_at').execute()
  await schema.createIndex('passkey_challenges_bound').on('passkey_challenges').column('bound_to').execute()
  await schema.alterTable('accounts').addColumn('mail_links', 'integer').execute()
  await schema.alterTable('members').addColumn('signed_out_at', time).execute()
  await schema.alterTable('members').addColumn('kept_session', 'text').execute()
}
