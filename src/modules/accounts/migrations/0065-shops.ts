import type { Kysely } from 'kysely'

/** The currency and the time zone of an account, and the address that is paid where a checkout names none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['currency', 'time_zone', 'payout_address'] as const) {
    await db.schema.alterTable('account_profiles').addColumn(column, 'text').execute()
  }
}
