import { sql } from 'kysely'
import type { Db, Tables } from '../../../kernel/db.ts'
import { type StoreEngine, skipLocked } from '../../../kernel/dialect.ts'
import { type Given, prepared } from '../../../kernel/prepared.ts'
import type { AddressKind } from './event-kinds.ts'
import { type Floor, type Trouble, type Watch, type WatchKey, toWatch } from './watch.ts'

/** Whether any address is due: taking the write lock to claim nothing would cost a sync. */
export async function hasDueLooks(db: Db, now: number): Promise<boolean> {
  return (await selectDue(db, { now })).length > 0
}

const selectDue = prepared((db, given: Given<{ now: number }>) =>
  db.selectFrom('address_watches').select('address').where('next_look_at', '<=', given('now')).limit(1),
)

interface Claim {
  now: number
  leaseUntil: number
  limit: number
}

/** Claims watches that are due, the most active first. When an instance dies, its lease ends and others claim them. */
export async function claimDue(db: Db, engine: StoreEngine, { now, leaseUntil, limit }: Claim): Promise<Watch[]> {
  const { rows } = await sql<Tables['address_watches']>`
    with due as materialized (
      select account_id, endpoint_id, address from address_watches where next_look_at <= ${now} and leased_until <= ${now}
      order by next_look_at, active_at desc limit ${limit} ${skipLocked(engine)}
    )
    update address_watches set leased_until = ${leaseUntil}, next_look_at = ${leaseUntil}
    where (account_id, endpoint_id, address) in (select account_id, endpoint_id, address from due) and leased_until <= ${now}
    returning *`.execute(db)
  return rows.map(toWatch)
}

/** Claims the watches of addresses at which something happened, unless another instance is looking there. */
export async function claimAt(
  db: Db,
  engine: StoreEngine,
  { addresses, now, leaseUntil, limit }: Claim & { addresses: readonly string[] },
): Promise<Watch[]> {
  const { rows } = await sql<Tables['address_watches']>`
    with due as materialized (
      select account_id, endpoint_id, address from address_watches
      where address in (${sql.join(addresses)}) and leased_until <= ${now} limit ${limit} ${skipLocked(engine)}
    )
    update address_watches set leased_until = ${leaseUntil}, next_look_at = ${leaseUntil}
    where (account_id, endpoint_id, address) in (select account_id, endpoint_id, address from due) and leased_until <= ${now}
    returning *`.execute(db)
  return rows.map(toWatch)
}

/** A watcher of an address, with the event types it asks for. */
export interface Watcher extends WatchKey {
  events: string[]
}

export async function listWatchesAt(db: Db, addresses: readonly string[], limit: number): Promise<Watcher[]> {
  const rows = await db
    .selectFrom('address_watches')
    .innerJoin('webhook_endpoints', 'webhook_endpoints.id', 'address_watches.endpoint_id')
    .select([
      'address_watches.account_id',
      'address_watches.endpoint_id',
      'address_watches.address',
      'webhook_endpoints.events',
    ])
    .where('address_watches.address', 'in', [...addresses])
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    accountId: row.account_id,
    endpointId: row.endpoint_id,
    address: row.address,
    events: JSON.parse(row.events) as string[],
  }))
}

const own = ({ accountId, endpointId, address }: WatchKey) =>
  sql<boolean>`account_id = ${accountId} and endpoint_id = ${endpointId} and address = ${address}`

/**
 * Stores a step of a look: everything up to this floor is recorded, and how many events that makes in all. False when another instance has the
 * lease, or the watch is gone: then nothing of the step may count.
 */
export async function markStep(
  db: Db,
  { leasedUntil, ...watch }: Watch,
  { frontier, height, known, told, activeAt }: Floor & Pick<Watch, 'told' | 'activeAt'>,
): Promise<boolean> {
  const row = await db
    .updateTable('address_watches')
    .set({ frontier, height, known, told, active_at: activeAt })
    .where(own(watch))
    .where('leased_until', '=', leasedUntil)
    .returning('address')
    .executeTakeFirst()
  return row !== undefined
}

/** Stores why looks at these fail, or null when they succeed. A new reason counts from now. */
export async function markTrouble(
  db: Db,
  watches: readonly WatchKey[],
  { trouble, now, leaseUntil }: { trouble: Trouble | null; now: number; leaseUntil: number },
): Promise<void> {
  const keys = watches.map(({ accountId, endpointId, address }) => sql`(${accountId}, ${endpointId}, ${address})`)
  await db
    .updateTable('address_watches')
    .set({ trouble, trouble_since: trouble === null ? null : now })
    .where(sql<boolean>`(account_id, endpoint_id, address) in (values ${sql.join(keys)})`)
    .where('leased_until', '=', leaseUntil)
    .execute()
}

/** Ends looks. A look that was requested meanwhile stays due. */
export async function markLooked(
  db: Db,
  watches: readonly WatchKey[],
  { lookedAt, nextLookAt, leaseUntil }: { lookedAt: number | undefined; nextLookAt: number; leaseUntil: number },
): Promise<void> {
  const keys = watches.map(({ accountId, endpointId, address }) => sql`(${accountId}, ${endpointId}, ${address})`)
  await db
    .updateTable('address_watches')
    .set({
      leased_until: 0,
      next_look_at: sql<number>`case when next_look_at = ${leaseUntil} then ${nextLookAt} else next_look_at end`,
      ...(lookedAt !== undefined && { looked_at: lookedAt }),
    })
    .where(sql<boolean>`(account_id, endpoint_id, address) in (values ${sql.join(keys)})`)
    .where('leased_until', '=', leaseUntil)
    .execute()
}

/**
 * Makes every watch due, because blocks may have been confirmed while no events arrived.
 * One page in order of the address; returns where the next one begins.
 */
export async function hastenPage(
  db: Db,
  { at, after, limit }: { at: number; after: string; limit: number },
): Promise<string | undefined> {
  const last = await db
    .selectFrom('address_watches')
    .select('address')
    .where('address', '>', after)
    .orderBy('address')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst()
  let page = db
    .updateTable('address_watches')
    .set({ next_look_at: at })
    .where('address', '>', after)
    .where('next_look_at', '>', at)
    .where('looked_at', '<=', at)
  if (last) page = page.where('address', '<=', last.address)
  await page.execute()
  return last?.address
}

const HASHES_AT_ONCE = 500
export const dedupeKeyOf = (endpointId: string, hash: string) => `${endpointId}:${hash}`

/** Returns for which of these blocks an endpoint has an event, in one direction of one address. */
export async function listReported(
  db: Db,
  { endpointId, address }: Pick<WatchKey, 'endpointId' | 'address'>,
  { type, hashes }: { type: AddressKind; hashes: readonly string[] },
): Promise<Set<string>> {
  const told = new Set<string>()
  for (let at = 0; at < hashes.length; at += HASHES_AT_ONCE) {
    const keys = hashes.slice(at, at + HASHES_AT_ONCE).map((hash) => dedupeKeyOf(endpointId, hash))
    const rows = await db
      .selectFrom('events')
      .select('dedupe_key')
      .where('subject', '=', address)
      .where('type', '=', type)
      .where('dedupe_key', 'in', keys)
      .execute()
    for (const { dedupe_key: key } of rows) told.add(key.slice(endpointId.length + 1))
  }
  return told
}
