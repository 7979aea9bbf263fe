import type { Db } from '../../../kernel/db.ts'
import { behind } from '../../../kernel/keyset.ts'
import type { AddressWatchesTable } from '../tables.ts'

export interface WatchKey {
  accountId: string
  endpointId: string
  address: string
}

/** How far an address has been looked through. */
export interface Floor {
  frontier: string | null
  height: number
  /** Beginnings of hashes that need no telling. */
  known: string
}

/** Why a look does not come through: no node knows the block from which to go on, or too much waits to be told apart. */
export type Trouble = NonNullable<AddressWatchesTable['trouble']>

export interface Watch extends WatchKey, Floor {
  createdAt: number
  activeAt: number
  lookedAt: number
  leasedUntil: number
  told: number
  trouble: Trouble | null
  troubleSince: number | null
}

export const toWatch = (row: AddressWatchesTable): Watch => ({
  accountId: row.account_id,
  endpointId: row.endpoint_id,
  address: row.address,
  createdAt: row.created_at,
  activeAt: row.active_at,
  lookedAt: row.looked_at,
  leasedUntil: row.leased_until,
  frontier: row.frontier,
  height: row.height,
  known: row.known,
  told: row.told,
  trouble: row.trouble,
  troubleSince: row.trouble_since,
})

const ROWS_AT_ONCE = 500

/** Addresses of an endpoint, each where it stands; answers how many were not watched before. */
export async function insertWatches(
  db: Db,
  {
    accountId,
    endpointId,
    floors,
    now,
  }: Omit<WatchKey, 'address'> & { floors: ReadonlyMap<string, Floor>; now: number },
): Promise<number> {
  const rows = [...floors].map(([address, { frontier, height, known }]) => ({
    account_id: accountId,
    endpoint_id: endpointId,
    address,
    created_at: now,
    active_at: now,
    looked_at: now,
    // What came between the look and this row is found at once.
    next_look_at: now,
    leased_until: 0,
    frontier,
    height,
    known,
    told: 0,
    trouble: null,
    trouble_since: null,
  }))
  let added = 0
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const made = await db
      .insertInto('address_watches')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .onConflict((conflict) => conflict.columns(['account_id', 'endpoint_id', 'address']).doNothing())
      .returning('address')
      .execute()
    added += made.length
  }
  return added
}

/** Which of some addresses an endpoint is told about already. */
export async function listWatchedOf(
  db: Db,
  { accountId, endpointId }: Omit<WatchKey, 'address'>,
  addresses: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('address_watches')
    .select('address')
    .where('account_id', '=', accountId)
    .where('endpoint_id', '=', endpointId)
    .where('address', 'in', [...addresses])
    .execute()
  return new Set(rows.map(({ address }) => address))
}

export async function deleteWatches(
  db: Db,
  { accountId, endpointId, addresses }: Omit<WatchKey, 'address'> & { addresses: readonly string[] },
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('address_watches')
    .where('account_id', '=', accountId)
    .where('endpoint_id', '=', endpointId)
    .where('address', 'in', [...addresses])
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Of endpoints that are there; those of others are about to go. */
export async function countWatches(
  db: Db,
  { accountId, endpointId }: { accountId: string; endpointId?: string | undefined },
): Promise<number> {
  let query = db
    .selectFrom('address_watches')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('account_id', '=', accountId)
  query =
    endpointId === undefined
      ? query.where('endpoint_id', 'in', (own) =>
          own.selectFrom('webhook_endpoints').select('id').where('account_id', '=', accountId),
        )
      : query.where('endpoint_id', '=', endpointId)
  return Number((await query.executeTakeFirst())!.count)
}

/** How many looks do not come through. */
export async function countTroubled(
  db: Db,
  { accountId, endpointId }: { accountId: string; endpointId?: string | undefined },
): Promise<number> {
  let query = db
    .selectFrom('address_watches')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('account_id', '=', accountId)
    .where('trouble', 'is not', null)
  if (endpointId !== undefined) query = query.where('endpoint_id', '=', endpointId)
  return Number((await query.executeTakeFirst())!.count)
}

export interface WatchPage {
  accountId: string
  endpointId: string | undefined
  after: { endpointId: string; address: string } | undefined
  limit: number
}

/** In order of endpoint and address. */
export async function listWatches(db: Db, { accountId, endpointId, after, limit }: WatchPage): Promise<Watch[]> {
  let query = db.selectFrom('address_watches').selectAll().where('account_id', '=', accountId)
  if (endpointId !== undefined) query = query.where('endpoint_id', '=', endpointId)
  if (after) query = query.where(behind(['endpoint_id', 'asc', after.endpointId], ['address', 'asc', after.address]))
  const rows = await query.orderBy('endpoint_id').orderBy('address').limit(limit).execute()
  return rows.map(toWatch)
}

/** Some of those of an endpoint that is gone; answers how many. */
export async function deleteSomeOf(
  db: Db,
  { accountId, endpointId }: Omit<WatchKey, 'address'>,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('address_watches')
    .where('account_id', '=', accountId)
    .where('endpoint_id', '=', endpointId)
    .where('address', 'in', (some) =>
      some
        .selectFrom('address_watches')
        .select('address')
        .where('account_id', '=', accountId)
        .where('endpoint_id', '=', endpointId)
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** All addresses that are watched, page by page in their order. */
export async function listAddresses(db: Db, { after, limit }: { after: string; limit: number }): Promise<string[]> {
  const rows = await db
    .selectFrom('address_watches')
    .select('address')
    .distinct()
    .where('address', '>', after)
    .orderBy('address')
    .limit(limit)
    .execute()
  return rows.map(({ address }) => address)
}

/** The same, of those that were added lately. */
export async function listFreshAddresses(
  db: Db,
  { since, after, limit }: { since: number; after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('address_watches')
    .select('address')
    .distinct()
    .where('created_at', '>=', since)
    .where('address', '>', after)
    .orderBy('address')
    .limit(limit)
    .execute()
  return rows.map(({ address }) => address)
}
