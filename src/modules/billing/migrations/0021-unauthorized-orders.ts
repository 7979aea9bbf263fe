import { type Kysely, sql } from 'kysely'

/** Payments for changes that wait for the word of an owner: few, and asked for every minute. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index service_payments_unauthorized on service_payments (created_at)
    where outcome = 'unauthorized'`.execute(db)
}
