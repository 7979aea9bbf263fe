import { columns, flag, plain, raw, type RecordIn, type RowIn } from '../../kernel/resource/columns.ts'
import { sql } from 'kysely'
import { STEP_ROWS, deleteSome } from '../../kernel/retention.ts'
import { type Raw } from '../../kernel/money.ts'
import type { Db } from '../../kernel/db.ts'
import { type Given, givenRow, prepared, preparedUpTo } from '../../kernel/prepared.ts'
import { OPEN_STATUSES } from './record.ts'

/** An exact amount at an address, reserved for one checkout of an owner. */
const RESERVATION = columns({
  address: plain<string>(),
  amountRaw: raw(),
  owner: plain<string>(),
  checkoutId: plain<string>(),
  plan: plain<number>(),
  /** The quote for which it was reserved; null where the price is in nano. */
  quote: plain<number | null>(),
  /** The price was changed before anyone saw it: the merchant decides about a payment of this amount. */
  superseded: flag(),
  /** Where the merchant set no price: what a payer typed, and a fingerprint of that payer. */
  chosen: plain<string | null>(),
  chosenBy: plain<string | null>(),
})

export type Reservation = RecordIn<typeof RESERVATION>
export interface CheckoutReservationsTable extends RowIn<typeof RESERVATION> {
  created_at: number
  release_at: number
}
export const toReservation = RESERVATION.toRecord

/** Reserves an amount for a checkout; false when another checkout of the owner has it. */
export async function takeAmount(
  db: Db,
  reservation: Omit<Reservation, 'superseded'>,
  { now, releaseAt }: { now: number; releaseAt: number },
): Promise<boolean> {
  const row = RESERVATION.toRow({ ...reservation, superseded: false })
  const taken = await insertRow(db, { ...row, created_at: now, release_at: releaseAt })
  return taken.length > 0
}

const COLUMNS = [...RESERVATION.names, 'created_at', 'release_at'] as const

const insertRow = prepared((db, given: Given<CheckoutReservationsTable>) =>
  db
    .insertInto('checkout_reservations')
    .values(givenRow(given, COLUMNS))
    .onConflict((conflict) => conflict.doNothing())
    .returning('checkout_id'),
)

/** Finds the reservations of an amount at an address: at most one of each owner. */
async function listReservations(db: Db, address: string, amountRaw: Raw): Promise<Reservation[]> {
  return (await selectByAmount(db, { address, amount: amountRaw.toString() })).map(toReservation)
}

const selectByAmount = prepared((db, given: Given<{ address: string; amount: string }>) =>
  db
    .selectFrom('checkout_reservations')
    .select(COLUMNS)
    .where('address', '=', given('address'))
    .where('amount_raw', '=', given('amount'))
    .limit(1_000),
)

/** Counts how many amounts an owner has reserved at an address, up to a bound; amounts of other owners there do not count. */
export async function countReservations(
  db: Db,
  { address, owner, max }: { address: string; owner: string; max: number },
): Promise<number> {
  const [row] = await countTaken(db, { address, owner, limit: max })
  return Number(row!.count)
}

const countTaken = preparedUpTo((db, given: Given<{ address: string; owner: string }>, limit) => {
  const some = db
    .selectFrom('checkout_reservations')
    .select('owner')
    .where('address', '=', given('address'))
    .where('owner', '=', given('owner'))
    .limit(limit)
  return db.selectFrom(some.as('some')).select(({ fn }) => fn.countAll().as('count'))
})

/** Finds the newest amount reserved for a price that a payer typed. */
export async function findChosen(db: Db, checkoutId: string, chosen: string): Promise<Reservation | undefined> {
  const row = await db
    .selectFrom('checkout_reservations')
    .selectAll()
    .where('checkout_id', '=', checkoutId)
    .where('chosen', '=', chosen)
    .where('superseded', '=', 0)
    .orderBy('quote', 'desc')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && toReservation(row)
}

/** Finds a choice by the amount that was reserved for it. */
export async function findChoice(
  db: Db,
  { checkoutId, address, amountRaw }: { checkoutId: string; address: string; amountRaw: Raw },
): Promise<Reservation | undefined> {
  const found = await listReservations(db, address, amountRaw)
  return found.find((one) => one.checkoutId === checkoutId && one.chosen !== null && !one.superseded)
}

/** Counts how many amounts of a checkout one visitor has had reserved. */
export async function countChoices(db: Db, checkoutId: string, chosenBy: string): Promise<number> {
  const row = await db
    .selectFrom('checkout_reservations')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('checkout_id', '=', checkoutId)
    .where('chosen_by', '=', chosenBy)
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** The amounts stay reserved, but a payment of one no longer counts automatically. */
export async function markSuperseded(db: Db, checkoutId: string): Promise<void> {
  await db.updateTable('checkout_reservations').set({ superseded: 1 }).where('checkout_id', '=', checkoutId).execute()
}

/** Does not release the amounts of an open checkout: it may have been paid since the last look. */
export function deleteReleased(db: Db, now: number, limit = STEP_ROWS): Promise<number> {
  const where = sql<boolean>`release_at <= ${now} and not exists (select 1 from checkouts
    where checkouts.id = checkout_reservations.checkout_id and checkouts.status in (${sql.join(OPEN_STATUSES)}))`
  return deleteSome(db, { from: 'checkout_reservations', key: ['address', 'amount_raw', 'owner'], where, limit })
}

/** The amount of nano for a fiat price, valid for a limited time. */
const QUOTE = columns({
  checkoutId: plain<string>(),
  plan: plain<number>(),
  seq: plain<number>(),
  rate: plain<string>(),
  source: plain<string>(),
  rateAt: plain<number>(),
  amountRaw: raw(),
  createdAt: plain<number>(),
  expiresAt: plain<number>(),
})

export type Quote = RecordIn<typeof QUOTE>
export type CheckoutQuotesTable = RowIn<typeof QUOTE>
const toQuote = QUOTE.toRecord

export async function insertQuote(db: Db, quote: Quote): Promise<void> {
  await db.insertInto('checkout_quotes').values(QUOTE.toRow(quote)).execute()
}

/** Every quote of a checkout, newest first; few, because both a checkout and a quote live for a limited time. */
export async function listQuotes(db: Db, checkoutId: string): Promise<Quote[]> {
  const rows = await db
    .selectFrom('checkout_quotes')
    .selectAll()
    .where('checkout_id', '=', checkoutId)
    .orderBy('seq', 'desc')
    .orderBy('plan')
    .limit(5_000)
    .execute()
  return rows.map(toQuote)
}

/** The newest quotes, one for each plan. */
export async function listLatestQuotes(db: Db, checkoutId: string): Promise<Quote[]> {
  const quotes = await listQuotes(db, checkoutId)
  return quotes.filter(({ seq }) => seq === quotes[0]?.seq)
}
