import { sql } from 'kysely'
import { type StoreEngine, skipLocked } from '../../kernel/dialect.ts'
import type { Db } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'
import { later } from './store.ts'
import { type WatchedAddress, toWatched, type WatchedAddressesTable } from './watch-store.ts'

/** Whether any address is due: taking the write lock to claim nothing would cost a sync. */
export async function hasDueScans(db: Db, now: number): Promise<boolean> {
  return (await selectDue(db, { now })).length > 0
}

const selectDue = prepared((db, given: Given<{ now: number }>) =>
  db.selectFrom('watched_addresses').select('address').where('next_scan_at', '<=', given('now')).limit(1),
)

/**
 * Claims addresses that are due; when an instance dies, its lease ends and others claim them. One statement that skips what others are
 * claiming, so that instances share the work instead of waiting for one another.
 */
export async function claimScans(
  db: Db,
  engine: StoreEngine,
  { now, leaseUntil, limit }: { now: number; leaseUntil: number; limit: number },
): Promise<WatchedAddress[]> {
  const { rows } = await sql<WatchedAddressesTable>`
    with due as materialized (
      select address from watched_addresses where next_scan_at <= ${now}
      order by next_scan_at limit ${sql.lit(limit)} ${skipLocked(engine)}
    )
    update watched_addresses set next_scan_at = ${leaseUntil}
    where address in (select address from due) and next_scan_at <= ${now}
    returning *`.execute(db)
  return rows.map(toWatched)
}

/** A complete scan of addresses is over. A scan that a page requested meanwhile stays due. */
export async function markScanned(
  db: Db,
  addresses: readonly string[],
  { scannedAt, nextScanAt, leaseUntil }: { scannedAt: number; nextScanAt: number; leaseUntil: number },
): Promise<void> {
  await db
    .updateTable('watched_addresses')
    .set({
      scanned_at: later('scanned_at', scannedAt),
      next_scan_at: sql<number>`case when next_scan_at = ${leaseUntil} then ${nextScanAt} else next_scan_at end`,
    })
    .where('address', 'in', [...addresses])
    .execute()
}

/** Stores the block up to which an address's history was scanned. */
export async function updateFrontier(db: Db, address: string, frontier: string): Promise<void> {
  await db.updateTable('watched_addresses').set({ frontier }).where('address', '=', address).execute()
}

/** Makes addresses due for a scan at a given time at the latest. */
export async function hastenScans(db: Db, addresses: readonly string[], at: number): Promise<void> {
  if (addresses.length === 0) return
  await db
    .updateTable('watched_addresses')
    .set({ next_scan_at: at })
    .where('address', 'in', [...addresses])
    .where('next_scan_at', '>', at)
    .execute()
}

/**
 * Makes every address due, because payments may have been missed while no events arrived; addresses scanned since are left out. One page
 * in order of the address; returns where the next one begins.
 */
export async function hastenPage(
  db: Db,
  { at, after, limit }: { at: number; after: string; limit: number },
): Promise<string | undefined> {
  const last = await db
    .selectFrom('watched_addresses')
    .select('address')
    .where('address', '>', after)
    .orderBy('address')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst()
  let page = db
    .updateTable('watched_addresses')
    .set({ next_scan_at: at })
    .where('address', '>', after)
    .where('next_scan_at', '>', at)
    .where('scanned_at', '<=', at)
  if (last) page = page.where('address', '<=', last.address)
  await page.execute()
  return last?.address
}

export async function findScannedAt(db: Db, address: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('watched_addresses')
    .select('scanned_at')
    .where('address', '=', address)
    .executeTakeFirst()
  return row?.scanned_at
}
