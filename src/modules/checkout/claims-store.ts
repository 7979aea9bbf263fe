import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import type { Raw } from '../../kernel/money.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'
import type { Baseline } from './domain/baseline.ts'
import { type Reservation, toReservation } from './reservations-store.ts'
import { findSighting } from './sightings-store.ts'
import { type Checkout, toCheckout } from './record.ts'
import { IS_OPEN } from './store.ts'
import { CHECKOUT_COLUMNS } from './record.ts'

const LISTED_MAX = 1_000

interface Watcher extends Baseline {
  owner: string
}

interface Waiting {
  watchers: Watcher[]
  /** The number of the first look that saw the send on the address; undefined when none has. */
  sightedAt: number | undefined
}

/** Lists the owners who wait at an address, and since when. Owners whose time is over stay until the next `deleteUnwatched`. */
export async function listWaiting(db: Db, address: string, hash: string): Promise<Waiting> {
  const rows = await selectWaiting(db, { address, hash })
  const [first] = rows
  return {
    watchers: rows.map(({ owner, since, look, look_height: lookHeight }) => ({ owner, since, look, lookHeight })),
    sightedAt: first ? (first.sighted ?? undefined) : await findSighting(db, address, hash),
  }
}

const selectWaiting = prepared((db, given: Given<{ address: string; hash: string }>) =>
  db
    .selectFrom('checkout_watchers')
    .select(['owner', 'since', 'look', 'look_height'])
    .select(({ selectFrom }) =>
      selectFrom('checkout_sightings')
        .select('checkout_sightings.look')
        .where('checkout_sightings.address', '=', given('address'))
        .where('checkout_sightings.hash', '=', given('hash'))
        .as('sighted'),
    )
    .where('checkout_watchers.address', '=', given('address'))
    .limit(LISTED_MAX),
)

/** Finds the owners who reserved this amount at an address, with their checkouts: at most one of each owner. */
export async function listReserved(
  db: Db,
  address: string,
  amountRaw: Raw,
): Promise<{ reservation: Reservation; checkout: Checkout }[]> {
  const rows = await selectReserved(db, { address, amount: amountRaw.toString() })
  return rows.map((row) => ({
    reservation: toReservation({
      address,
      amount_raw: amountRaw.toString(),
      owner: row.reserved_owner,
      checkout_id: row.id,
      plan: row.reserved_plan,
      quote: row.reserved_quote,
      superseded: row.reserved_superseded,
      chosen: row.reserved_chosen,
      chosen_by: row.reserved_chosen_by,
    }),
    checkout: toCheckout(row),
  }))
}

const selectReserved = prepared((db, given: Given<{ address: string; amount: string }>) =>
  db
    .selectFrom('checkout_reservations as reserved')
    .innerJoin('checkouts', 'checkouts.id', 'reserved.checkout_id')
    .select(CHECKOUT_COLUMNS.map((column) => `checkouts.${column}` as const))
    .select([
      'reserved.owner as reserved_owner',
      'reserved.plan as reserved_plan',
      'reserved.quote as reserved_quote',
      'reserved.superseded as reserved_superseded',
      'reserved.chosen as reserved_chosen',
      'reserved.chosen_by as reserved_chosen_by',
    ])
    .where('reserved.address', '=', given('address'))
    .where('reserved.amount_raw', '=', given('amount'))
    .limit(LISTED_MAX),
)

/** With how many closed checkouts of an address a late payment is compared at most. */
const CLOSED_MAX = 1_000

/**
 * Written in this way so that the planner does not use an index of open checkouts. That index contains everything that
 * is open at an address, which may be thousands of unique amounts, and the planner assumes an average address.
 */
const SUMS_OPEN = sql<boolean>`case when ${IS_OPEN} then 1 else 0 end = 1`

/** Lists checkouts that sum what arrives at an address, newest first; bounded, because few share an address. */
export async function listSumming(db: Db, { address, now }: { address: string; now: number }): Promise<Checkout[]> {
  return (await selectSumming(db, { address, now })).map(toCheckout)
}

/**
 * If other checkouts have used the address, late money may belong to one of those, so the merchant has to assign it.
 */
const HAS_ITS_ADDRESS = sql<boolean>`(mode = 'generated_wallet' or not exists (select 1 from checkouts as other
  where other.address = checkouts.address and other.owner = checkouts.owner and other.id <> checkouts.id))`

/**
 * Open checkouts of an owner are few, so there is no limit for them, and they count until an instance has looked at the
 * ledger after their end. Any caller can make any number of closed ones, which must not push a merchant's open checkout
 * out of the list.
 */
const selectSumming = prepared((db, given: Given<{ address: string; now: number }>) => {
  const summing = db
    .selectFrom('checkouts')
    .select(CHECKOUT_COLUMNS)
    .where('address', '=', given('address'))
    .where('mode', '<>', sql.lit('unique_amount'))
  const closed = summing
    .where(({ not }) => not(SUMS_OPEN))
    .where('watched_until', '>', given('now'))
    .where(HAS_ITS_ADDRESS)
    .orderBy('created_at', 'desc')
    .limit(sql.lit(CLOSED_MAX))
  return db
    .selectFrom(summing.where(SUMS_OPEN).as('open'))
    .select(CHECKOUT_COLUMNS)
    .unionAll(db.selectFrom(closed.as('closed')).select(CHECKOUT_COLUMNS))
    .orderBy('created_at', 'desc')
})
