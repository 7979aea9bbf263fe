import { type RecordIn, type RowIn, columns, orUndefined, plain } from '../../kernel/resource/columns.ts'
import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'
import type { AddressLook } from './ports.ts'
import { deleteSightings } from './sightings-store.ts'
import { IS_OPEN, NOT_BY_OTHERS } from './store.ts'

/** Addresses that the poller scans, and how far it has come. */
const WATCHED = columns({
  address: plain<string>(),
  since: plain<number>(),
  /** When the newest checkout there was made, which sets the pace of the scans. */
  freshAt: plain<number>(),
  watchedUntil: plain<number>(),
  /** When the last complete scan began; a checkout expires only after a scan that began after its end. */
  scannedAt: plain<number>(),
  nextScanAt: plain<number>(),
  /** The newest block of the address's history that was scanned. */
  frontier: plain<string | null>(),
  /** The chain's length at the first look: blocks up to there never count. Null in a store of 0.1. */
  floorHeight: orUndefined(plain<number>()),
})

export type WatchedAddress = RecordIn<typeof WATCHED>

export interface WatchedAddressesTable extends RowIn<typeof WATCHED> {
  /** Counts the looks at what is on the address, one for each checkout made there. */
  looks: number
}

export const toWatched = WATCHED.toRecord

/** Starts to watch an address after a look at what is there; returns the number of that look. */
export async function saveWatched(
  db: Db,
  { seen, ...watch }: Pick<NewWatch, 'address' | 'now' | 'watchedUntil' | 'nextScanAt'> & { seen: AddressLook },
): Promise<number> {
  const [watched] = await upsertWatched(db, { ...watch, frontier: seen.frontier, height: seen.height })
  return watched!.looks
}

/** Stores that an owner waits there since the newest look, which the transaction has just stored. */
export async function saveWatcher(db: Db, watcher: NewWatcher): Promise<void> {
  await upsertWatcher(db, watcher)
}

interface NewWatch {
  address: string
  now: number
  watchedUntil: number
  nextScanAt: number
  frontier: string | null
  height: number
}

const upsertWatched = prepared((db, given: Given<NewWatch>) =>
  db
    .insertInto('watched_addresses')
    .values({
      address: given('address'),
      since: given('now'),
      fresh_at: given('now'),
      watched_until: given('watchedUntil'),
      scanned_at: 0,
      next_scan_at: given('nextScanAt'),
      frontier: given('frontier'),
      looks: 1,
      floor_height: given('height'),
    })
    .onConflict((conflict) =>
      conflict.column('address').doUpdateSet({
        fresh_at: ({ ref }) => ref('excluded.fresh_at'),
        watched_until: sql<number>`case when watched_addresses.watched_until > excluded.watched_until
          then watched_addresses.watched_until else excluded.watched_until end`,
        next_scan_at: sql<number>`case when watched_addresses.next_scan_at < excluded.next_scan_at
          then watched_addresses.next_scan_at else excluded.next_scan_at end`,
        looks: sql<number>`watched_addresses.looks + 1`,
      }),
    )
    .returning('looks'),
)

interface NewWatcher {
  address: string
  owner: string
  now: number
  watchedUntil: number
  height: number
}

const upsertWatcher = prepared((db, given: Given<NewWatcher>) =>
  db
    .insertInto('checkout_watchers')
    .values({
      address: given('address'),
      owner: given('owner'),
      since: given('now'),
      watched_until: given('watchedUntil'),
      look: sql`(select looks from watched_addresses where address = ${given('address')})`,
      look_height: given('height'),
    })
    .onConflict((conflict) =>
      conflict.columns(['address', 'owner']).doUpdateSet({
        watched_until: sql<number>`case when checkout_watchers.watched_until > excluded.watched_until
          then checkout_watchers.watched_until else excluded.watched_until end`,
        // Checkouts from 0.1 have no look yet, so they get this one.
        look: sql<number>`coalesce(checkout_watchers.look, excluded.look)`,
        look_height: sql<number>`coalesce(checkout_watchers.look_height, excluded.look_height)`,
      }),
    ),
)

/** Locks a watched address until the transaction ends. */
export async function holdAddress(db: Db, address: string): Promise<void> {
  await db
    .updateTable('watched_addresses')
    .set(({ ref }) => ({ looks: ref('looks') }))
    .where('address', '=', address)
    .execute()
}

/** Whether another checkout ever asked for money at this address, or brings it there from a generated wallet. */
export async function isAddressKnown(db: Db, { address, id }: { address: string; id: string }): Promise<boolean> {
  const { rows } = await sql`select 1 from checkouts where address = ${address} and id <> ${id}
    union all select 1 from checkouts where merchant_address = ${address} and mode = 'generated_wallet' limit 1`.execute(
    db,
  )
  return rows.length > 0
}

interface Orders {
  address: string
  owner: string
  /** The checkout that does not count. */
  id: string
  now: number
  /** Whether checkouts made with public keys, links and points of sale count. */
  alsoOfOthers: boolean
}

/** Whether an owner has another checkout at an address that is open or may still be paid late. */
export async function hasOrders(db: Db, { alsoOfOthers, ...wanted }: Orders): Promise<boolean> {
  const others = await (alsoOfOthers ? selectOrders : selectOwnOrders)(db, wanted)
  return others.length > 0
}

const ordersAt = (db: Db, given: Given<Omit<Orders, 'alsoOfOthers'>>) =>
  db
    .selectFrom('checkouts')
    .select('id')
    .where('address', '=', given('address'))
    .where('owner', '=', given('owner'))
    .where('id', '<>', given('id'))
    .where(sql<boolean>`(watched_until > ${given('now')} or ${IS_OPEN})`)
    .limit(1)

const selectOrders = prepared(ordersAt)

const selectOwnOrders = prepared((db, given: Given<Omit<Orders, 'alsoOfOthers'>>) =>
  ordersAt(db, given).where(NOT_BY_OTHERS),
)

/** Pages through watched addresses in order of the address. */
export async function listWatched(
  db: Db,
  { now, after, limit }: { now: number; after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('watched_addresses')
    .select('address')
    .where('address', '>', after)
    .where('watched_until', '>', now)
    .orderBy('address')
    .limit(limit)
    .execute()
  return rows.map(({ address }) => address)
}

/** The same for addresses at which someone began to wait recently. */
export async function listFresh(
  db: Db,
  { since, after, limit }: { since: number; after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('watched_addresses')
    .select('address')
    .where('fresh_at', '>=', since)
    .where('address', '>', after)
    .orderBy('address')
    .limit(limit)
    .execute()
  return rows.map(({ address }) => address)
}

/** How many addresses one transaction handles. */
const PAGE = 500

/**
 * Stops watching addresses whose time is over, with what was sighted there, in one transaction. Open checkouts stay watched and keep
 * their owner: without a scan they cannot expire, and what a scan finds must be credited to an account. A merchant who makes a
 * checkout there meanwhile waits, and finds either both records or none. Page by page, so that no writer waits for all of it.
 */
export async function deleteUnwatched(db: Db, now: number): Promise<void> {
  let after: string | undefined = ''
  while (after !== undefined) after = await deletePage(db, { now, after })
}

/** Returns where the next page begins. */
async function deletePage(db: Db, { now, after }: { now: number; after: string }): Promise<string | undefined> {
  const last = await db
    .selectFrom('watched_addresses')
    .select('address')
    .where('address', '>', after)
    .orderBy('address')
    .offset(PAGE - 1)
    .limit(1)
    .executeTakeFirst()
  const isHere = (table: string) =>
    last
      ? sql<boolean>`${sql.ref(table)}.address > ${after} and ${sql.ref(table)}.address <= ${last.address}`
      : sql<boolean>`${sql.ref(table)}.address > ${after}`
  await db.transaction().execute(async (tx) => {
    const gone = await tx
      .deleteFrom('watched_addresses')
      .where(isHere('watched_addresses'))
      .where('watched_until', '<=', now)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('checkouts')
              .select('checkouts.id')
              .whereRef('checkouts.address', '=', 'watched_addresses.address')
              .where(IS_OPEN),
          ),
        ),
      )
      .returning('address')
      .execute()
    const addresses = gone.map(({ address }) => address)
    await deleteSightings(tx, addresses)
    await tx
      .deleteFrom('checkout_watchers')
      .where(isHere('checkout_watchers'))
      .where('watched_until', '<=', now)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('checkouts')
              .select('checkouts.id')
              .whereRef('checkouts.address', '=', 'checkout_watchers.address')
              .whereRef('checkouts.owner', '=', 'checkout_watchers.owner')
              .where(IS_OPEN),
          ),
        ),
      )
      .execute()
  })
  return last?.address
}
