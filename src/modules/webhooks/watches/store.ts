import type { Db } from '../../../kernel/db.ts'
import { behind } from '../../../kernel/paging.ts'
import { type Floor, type Watch, type WatchKey, fromWatch, toWatch } from './watch.ts'

const ROWS_AT_ONCE = 500

/** Adds addresses to an endpoint, each with its floor; returns how many are new. */
export async function insertWatches(
  db: Db,
  {
    accountId,
    endpointId,
    floors,
    now,
  }: Omit<WatchKey, 'address'> & { floors: ReadonlyMap<string, Floor>; now: number },
): Promise<number> {
  // Due at once, so that a block confirmed between reading the floor and adding this row is found.
  const times = { createdAt: now, activeAt: now, lookedAt: now, nextLookAt: now, leasedUntil: 0 }
  const untroubled = { told: 0, trouble: null, troubleSince: null }
  const rows = [...floors].map(([address, floor]) =>
    fromWatch({ accountId, endpointId, address, ...floor, ...times, ...untroubled }),
  )
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

/** Returns which of these addresses an endpoint watches already. */
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

/** Counts watches of existing endpoints; those of removed ones are about to be deleted. */
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

/** Counts watches whose looks fail. */
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

/** Ordered by endpoint and address. */
export async function listWatches(db: Db, { accountId, endpointId, after, limit }: WatchPage): Promise<Watch[]> {
  let query = db.selectFrom('address_watches').selectAll().where('account_id', '=', accountId)
  if (endpointId !== undefined) query = query.where('endpoint_id', '=', endpointId)
  if (after) query = query.where(behind(['endpoint_id', 'asc', after.endpointId], ['address', 'asc', after.address]))
  const rows = await query.orderBy('endpoint_id').orderBy('address').limit(limit).execute()
  return rows.map(toWatch)
}

/** Deletes some watches of a removed endpoint; returns how many. */
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

/** All watched addresses, page by page in order. */
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

/** The same for addresses added recently. */
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
