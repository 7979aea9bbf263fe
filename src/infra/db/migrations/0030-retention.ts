import { type Kysely, sql } from 'kysely'

/** Indexes by age, for deleting old rows in small steps. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const index of [
    'idempotency_expires on idempotency (expires_at)',
    'free_uses_ends on free_uses (ends_at)',
    'sign_in_links_expires on sign_in_links (expires_at)',
    "credit_reservations_ended on credit_reservations (created_at) where status <> 'open'",
    "jobs_done on jobs (finished_at) where status = 'done'",
    "jobs_dead on jobs (finished_at) where status = 'dead'",
    'mails_created on mails (created_at)',
    'events_bodies on events (created_at) where body is not null',
    "x402_payments_answers on x402_payments (updated_at) where state = 'served' and answer is not null",
    "link_orders_visitors on link_orders (created_at) where visitor <> ''",
    `checkouts_unpaid on checkouts (watched_until, id) where owner in ('anonymous', 'service')
      and status in ('expired', 'cancelled') and additional_status = 'none'`,
    'checkouts_notify on checkouts (watched_until) where notify is not null',
  ]) {
    await sql.raw(`create index ${index}`).execute(db)
  }
}
