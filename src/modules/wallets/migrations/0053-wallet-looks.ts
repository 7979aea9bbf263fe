import { type Kysely, sql } from 'kysely'

/** Live wallets are checked more often than ended ones, so each group gets an index in its own order. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index wallets_looked`.execute(db)
  await sql`create index wallets_looked on wallets (looked_at) where ended_at is null`.execute(db)
  await sql`create index wallets_ended_looked on wallets (looked_at) where ended_at is not null`.execute(db)
}
