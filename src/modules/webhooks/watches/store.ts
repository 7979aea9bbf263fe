import type { Db } from '../../../kernel/db.ts'
import { behind } from '../../../kernel/paging.ts'
import { type Floor, type Watch, type WatchKey, fromWatch, toWatch } from './watch.ts'

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
  // What comes between the look and this row is found at once: the next look is due.
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
