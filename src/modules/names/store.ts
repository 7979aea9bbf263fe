import { behind } from '../../kernel/paging.ts'
import type { Db } from '../../kernel/db.ts'
import { LEASE, type NameLease } from './name.ts'

const toLease = LEASE.toRecord

/** Leases a name for the first time; false when the name exists already. The second of two buyers waits here for the first. */
export async function insertLease(db: Db, lease: NameLease): Promise<boolean> {
  const row = await db
    .insertInto('usernames')
    .values({ ...LEASE.toRow(lease), told: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .executeTakeFirst()
  return row !== undefined
}

/** Locks a name until the transaction ends, so that two payments for it are handled one after the other. */
export async function lockLease(db: Db, key: string): Promise<NameLease | undefined> {
  const row = await db
    .updateTable('usernames')
    .set(({ ref }) => ({ told: ref('told') }))
    .where('name', '=', key)
    .returningAll()
    .executeTakeFirst()
  return row && toLease(row)
}

/** Stores a locked name, and restarts the notices about its end. */
export async function updateLease(db: Db, lease: NameLease): Promise<void> {
  await db
    .updateTable('usernames')
    .set({ ...LEASE.toRow(lease), told: 0 })
    .where('name', '=', lease.key)
    .execute()
}

/** The same for a changed profile; the end of the lease and the state of its notices stay as they are. */
export async function updateProfile(
  db: Db,
  { key, address, profile, changedAt }: Pick<NameLease, 'key' | 'address' | 'profile' | 'changedAt'>,
): Promise<void> {
  await db
    .updateTable('usernames')
    .set({ address, profile: JSON.stringify(profile), changed_at: changedAt })
    .where('name', '=', key)
    .execute()
}

/** Sets whether search engines may list a name's page, for the account that leases it; undefined when it does not. */
export async function updateIndexed(
  db: Db,
  { key, accountId, indexed }: { key: string; accountId: string; indexed: boolean },
): Promise<NameLease | undefined> {
  const row = await db
    .updateTable('usernames')
    .set({ indexed: indexed ? 1 : 0 })
    .where('name', '=', key)
    .where('account_id', '=', accountId)
    .returningAll()
    .executeTakeFirst()
  return row && toLease(row)
}

export async function findLease(db: Db, key: string): Promise<NameLease | undefined> {
  const row = await db.selectFrom('usernames').selectAll().where('name', '=', key).executeTakeFirst()
  return row && toLease(row)
}

/** Finds the existing names among a bounded list. */
export async function listLeases(db: Db, keys: readonly string[]): Promise<NameLease[]> {
  const rows = await db
    .selectFrom('usernames')
    .selectAll()
    .where('name', 'in', [...keys])
    .execute()
  return rows.map(toLease)
}

/** How far a pass over changes has come. */
export interface ChangePosition {
  changedAt: number
  key: string
}

/** Changes since a position, oldest first. */
export async function listChanged(db: Db, since: ChangePosition, limit: number): Promise<NameLease[]> {
  const rows = await db
    .selectFrom('usernames')
    .selectAll()
    .where(({ eb, or, and }) =>
      or([
        eb('changed_at', '>', since.changedAt),
        and([eb('changed_at', '=', since.changedAt), eb('name', '>', since.key)]),
      ]),
    )
    .orderBy('changed_at')
    .orderBy('name')
    .limit(limit)
    .execute()
  return rows.map(toLease)
}

/** Names leased by an account, newest first; the next page begins after the last one of this page. */
export async function listLeasesOf(
  db: Db,
  { accountId, after, limit }: { accountId: string; after?: { createdAt: number; key: string }; limit: number },
): Promise<NameLease[]> {
  let query = db.selectFrom('usernames').selectAll().where('account_id', '=', accountId)
  if (after) query = query.where(behind(['created_at', 'desc', after.createdAt], ['name', 'asc', after.key]))
  const rows = await query.orderBy('created_at', 'desc').orderBy('name').limit(limit).execute()
  return rows.map(toLease)
}

/**
 * Names of accounts that end before a time and whose owners may not have got every notice, ordered by their end; the next page begins after the
 * last one of this page.
 */
export async function listUnreported(
  db: Db,
  {
    expiresBefore,
    after,
    limit,
  }: { expiresBefore: number; after?: Pick<NameLease, 'expiresAt' | 'key'> | undefined; limit: number },
): Promise<(NameLease & { told: number })[]> {
  let query = db
    .selectFrom('usernames')
    .selectAll()
    .where('told', '<', 3)
    .where('account_id', 'is not', null)
    .where('expires_at', '<=', expiresBefore)
  if (after) {
    query = query.where(({ eb, or, and }) =>
      or([
        eb('expires_at', '>', after.expiresAt),
        and([eb('expires_at', '=', after.expiresAt), eb('name', '>', after.key)]),
      ]),
    )
  }
  const rows = await query.orderBy('expires_at').orderBy('name').limit(limit).execute()
  return rows.map((row) => ({ ...toLease(row), told: row.told }))
}

/** Records a sent notice; false when another process has sent it, or the end has changed meanwhile. */
export async function markReported(
  db: Db,
  { key, expiresAt, told }: { key: string; expiresAt: number; told: number },
  next: number,
): Promise<boolean> {
  const row = await db
    .updateTable('usernames')
    .set({ told: next })
    .where('name', '=', key)
    .where('expires_at', '=', expiresAt)
    .where('told', '=', told)
    .returning('name')
    .executeTakeFirst()
  return row !== undefined
}
