import { type Kysely, sql } from 'kysely'

/** Wallets that live are looked at more often than those that have ended: each in an order of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index wallets_looked`.execute(db)
  await sql`create index wallets_looked on wallets (looked_at) where ended_at is null`.execute(db)
  await sql`create index wallets_ended_looked on wallets (looked_at) where ended_at is not null`.execute(db)
}
