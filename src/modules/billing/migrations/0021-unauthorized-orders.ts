import { type Kysely, sql } from 'kysely'

/** Indexes payments that wait for an owner's approval: few rows, queried every minute. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index service_payments_unauthorized on service_payments (created_at)
    where outcome = 'unauthorized'`.execute(db)
}
