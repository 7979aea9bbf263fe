import { type Kysely, sql } from 'kysely'

/** Indexes for pages and regular jobs that need only a few of an account's rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const index of [
    "checkouts_late on checkouts (owner) where additional_status = 'paid_late' and status <> 'complete'",
    'checkouts_hidden on checkouts (owner, created_at) where hidden_at is not null',
    "checkout_payments_unmatched on checkout_payments (owner, created_at) where kind = 'unmatched'",
    'credit_entries_newest on credit_entries (account_id, created_at, id)',
    'faucet_claims_address on faucet_claims (account_id, address, created_at, id)',
    'events_undelivered on events (account_id) where delivered_at is null',
    'x402_payments_kept on x402_payments (updated_at) where answer is not null',
  ]) {
    await sql.raw(`create index ${index}`).execute(db)
  }
}
