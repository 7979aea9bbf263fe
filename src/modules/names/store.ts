import { behind } from '../../kernel/paging.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import type { Db } from '../../kernel/db.ts'
import type { UsernamesTable } from './tables.ts'
import type { NameLease } from './name.ts'

const toLease = (row: UsernamesTable): NameLease => ({
  key: row.name,
  name: row.display,
  owner: row.owner,
  address: row.address,
  accountId: row.account_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  graceUntil: row.grace_until,
  profile: JSON.parse(row.profile) as JsonObject,
  changedAt: row.changed_at,
  indexed: row.indexed === 1,
})

const toColumns = (lease: NameLease) => ({
  display: lease.name,
  owner: lease.owner,
  address: lease.address,
  account_id: lease.accountId,
  created_at: lease.createdAt,
  expires_at: lease.expiresAt,
  grace_until: lease.graceUntil,
  profile: JSON.stringify(lease.profile),
  changed_at: lease.changedAt,
  indexed: lease.indexed ? 1 : 0,
})

/** Leases a name for the first time; false when it is in the book already. The second of two buyers waits here. */
export async function insertLease(db: Db, lease: NameLease): Promise<boolean> {
  const row = await db
    .insertInto('usernames')
    .values({ name: lease.key, told: 0, ...toColumns(lease) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .executeTakeFirst()
  return row !== undefined
}

/** Takes hold of a name until the transaction ends: two payments for it are judged one after the other. */
export async function lockLease(db: Db, key: string): Promise<NameLease | undefined> {
  const row = await db
    .updateTable('usernames')
    .set(({ ref }) => ({ told: ref('told') }))
    .where('name', '=', key)
    .returningAll()
    .executeTakeFirst()
  return row && toLease(row)
}

/** Writes a name that `lockLease` holds. Notices of its end begin anew. */
export async function updateLease(db: Db, lease: NameLease): Promise<void> {
  await db
    .updateTable('usernames')
    .set({ told: 0, ...toColumns(lease) })
    .where('name', '=', lease.key)
    .execute()
}

/** The same for what an owner tells about a name; its end stays where it is, and so do the notices of it. */
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

/** Whether search engines may list the page of a name, as the account says that leases it; undefined where it does not. */
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

/** Those of a bounded list of names that are in the book. */
export async function listLeases(db: Db, keys: readonly string[]): Promise<NameLease[]> {
  const rows = await db
    .selectFrom('usernames')
    .selectAll()
    .where('name', 'in', [...keys])
    .execute()
  return rows.map(toLease)
}

/** Where a walk through what has changed has come to. */
export interface ChangePosition {
  changedAt: number
  key: string
}

/** What has changed since a position, oldest first. */
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

/** Names that an account asked for, newest first; the next page begins behind the last of this one. */
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
 * Names of accounts that end before a time and whose owners may not have been told all there is to tell, by their ends; the
 * next page begins behind the last of this one.
 */
export async function listUntold(
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

/** One notice further; false when another process has sent it, or the end has moved meanwhile. */
export async function markTold(
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
