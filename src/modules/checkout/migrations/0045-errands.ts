import { type Kysely, sql } from 'kysely'

/**
 * Removes sends of the service itself and payments by request, which 0.2 listed as unmatched payments. Those counted for a checkout stay,
 * because the merchant has acted on them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`delete from checkout_payments where kind = 'unmatched' and (
    exists (select 1 from wallet_blocks b where b.hash = checkout_payments.block_hash and (
      b.plan_id is not null
      or (b.account_id is null and (b.reference is null or b.reference not like 'payment:email-claim:%'))
      or (b.account_id = checkout_payments.owner and b.reference like 'refund:%')))
    or exists (select 1 from x402_payments x where x.block_hash = checkout_payments.block_hash))`.execute(db)
}
