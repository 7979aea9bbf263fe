import { type Kysely, sql } from 'kysely'
import { type StoreEngine, jsonMember, sumRaw } from '../../../kernel/dialect.ts'

/** Payments for a checkout on a later day than the one on which it was complete. */
const AGAIN = `checkouts.status = 'complete' and checkouts.paid_at / 86400000 < payment.created_at / 86400000`
const PAID_KEYS = 'owner, day, currency, part'

/**
 * The books count money on the day on which it came: a payment for a checkout that is complete already moves from the day of its sale,
 * where the sums of 0023 count it, to its own day. Triggers keep this, as they keep those sums. Also adds an index for invoice numbers.
 */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const number = jsonMember(engine, 'invoice', 'number')
  await sql`create index checkouts_invoice on checkouts (owner, (${number})) where invoice is not null`.execute(db)
  await (engine === 'sqlite' ? keepInSqlite(db) : keepInPostgres(db))
  const amount = sumRaw(engine, 'payment.amount_raw')
  for (const [time, sign] of [
    ['payment.created_at', ''],
    ['checkouts.paid_at', '-'],
  ]) {
    const raw = engine === 'sqlite' ? sql`${sql.lit(sign)} || ${amount}` : sql`${sql.raw(sign!)} (${amount})::numeric`
    const zero = engine === 'sqlite' ? '0' : 0
    const added =
      engine === 'sqlite'
        ? sql`add_raw(checkout_paid_sums.raw, excluded.raw)`
        : sql`checkout_paid_sums.raw + excluded.raw`
    await sql`insert into checkout_paid_sums
      select checkouts.owner, ${sql.raw(time!)} / 86400000, checkouts.currency, 0, 0, ${raw}, ${sql.lit(zero)}
      from checkout_payments as payment join checkouts on checkouts.id = payment.checkout_id
      where payment.kind <> 'unmatched' and ${sql.raw(AGAIN)} group by 1, 2, 3
      on conflict (${sql.raw(PAID_KEYS)}) do update set raw = ${added}`.execute(db)
  }
}

const moves = (part: string, sign: (raw: string) => string, added: string) =>
  [
    ['payment.created_at', 'payment.amount_raw'],
    ['checkouts.paid_at', sign('payment.amount_raw')],
  ]
    .map(
      ([time, raw]) => `
      insert into checkout_paid_sums
        select checkouts.owner, ${time} / 86400000, checkouts.currency, ${part}, 0, ${raw}, '0'
        from checkouts where checkouts.id = payment.checkout_id and ${AGAIN}
        on conflict (${PAID_KEYS}) do update set raw = ${added};`,
    )
    .join('')
    .replaceAll('payment.', 'new.')

async function keepInSqlite(db: Kysely<unknown>): Promise<void> {
  const body = moves('0', (raw) => `'-' || ${raw}`, 'add_raw(checkout_paid_sums.raw, excluded.raw)')
  await sql
    .raw(`create trigger checkout_sums_paid_again after insert on checkout_payments
      when new.checkout_id is not null and new.kind <> 'unmatched' begin ${body} end`)
    .execute(db)
}

async function keepInPostgres(db: Kysely<unknown>): Promise<void> {
  // As in the sums of 0023, each connection counts in a part of its own.
  const body = moves('pg_backend_pid() % 64', (raw) => `-${raw}`, 'checkout_paid_sums.raw + excluded.raw').replaceAll(
    "'0'",
    '0',
  )
  await sql
    .raw(`create function keep_paid_again() returns trigger language plpgsql as $$ begin ${body} return null; end $$`)
    .execute(db)
  await sql
    .raw(`create trigger checkout_sums_paid_again after insert on checkout_payments
      for each row when (new.checkout_id is not null and new.kind <> 'unmatched') execute function keep_paid_again()`)
    .execute(db)
}
