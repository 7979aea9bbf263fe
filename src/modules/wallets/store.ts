import { type Selectable, sql } from 'kysely'
import { type Raw, toRaw } from '../../kernel/money.ts'
import { ZERO_HASH } from '../../kernel/nano/block.ts'
import type { SealedKey } from '../../kernel/key-vault.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import type { Db } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'
import type { WalletsTable } from './tables.ts'

type WalletStatus = WalletsTable['status']

export interface Wallet {
  id: string
  accountId: string | null
  purpose: string
  address: string
  status: WalletStatus
  endsAs: 'ended' | 'deleted' | null
  /** As it was given. */
  refundAddress: string | string[] | null
  metadata: JsonObject | null
  expiresAt: number | null
  /** Our own word for where the chain stands; the ledger must agree before anything is signed. */
  frontier: string
  balance: Raw
  frozenAt: number | null
  /** Set until the ledger's word is taken over after a thaw. */
  thawedAt: number | null
  /** What all nodes deny of its chain, since when, and how often they were asked. */
  denied: { hash: string; since: number; rounds: number } | null
  /** When blocks of it were released, until a later one is final. */
  voidedAt: number | null
  createdAt: number
}

export const WALLET_COLUMNS = [
  'id',
  'account_id',
  'purpose',
  'address',
  'status',
  'ends_as',
  'refund_address',
  'metadata',
  'expires_at',
  'frontier',
  'balance_raw',
  'frozen_at',
  'thawed_at',
  'denied_hash',
  'denied_at',
  'denied_rounds',
  'voided_at',
  'created_at',
] as const satisfies readonly (keyof WalletsTable)[]

export function toWallet(row: Pick<Selectable<WalletsTable>, (typeof WALLET_COLUMNS)[number]>): Wallet {
  return {
    id: row.id,
    accountId: row.account_id,
    purpose: row.purpose,
    address: row.address,
    status: row.status,
    endsAs: row.ends_as,
    refundAddress: row.refund_address === null ? null : (JSON.parse(row.refund_address) as string | string[]),
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as JsonObject),
    expiresAt: row.expires_at,
    frontier: row.frontier,
    balance: toRaw(BigInt(row.balance_raw)),
    frozenAt: row.frozen_at,
    thawedAt: row.thawed_at,
    denied:
      row.denied_hash === null || row.denied_at === null
        ? null
        : { hash: row.denied_hash, since: row.denied_at, rounds: row.denied_rounds },
    voidedAt: row.voided_at,
    createdAt: row.created_at,
  }
}

interface NewWallet {
  id: string
  accountId: string | null
  purpose: string
  address: string
  refundAddress: string | string[] | null
  metadata: JsonObject | null
  expiresAt: number | null
  createdAt: number
}

/** A wallet and its key, together or not at all. */
export async function insertWallet(db: Db, wallet: NewWallet, key: SealedKey): Promise<void> {
  await db
    .insertInto('wallets')
    .values({
      id: wallet.id,
      account_id: wallet.accountId,
      purpose: wallet.purpose,
      address: wallet.address,
      status: 'active',
      ends_as: null,
      refund_address: wallet.refundAddress === null ? null : JSON.stringify(wallet.refundAddress),
      metadata: wallet.metadata === null ? null : JSON.stringify(wallet.metadata),
      expires_at: wallet.expiresAt,
      frontier: ZERO_HASH,
      balance_raw: '0',
      lease_until: 0,
      fence: 0,
      frozen_at: null,
      frozen_reason: null,
      thawed_at: null,
      denied_hash: null,
      denied_at: null,
      denied_rounds: 0,
      voided_at: null,
      looked_at: wallet.createdAt,
      created_at: wallet.createdAt,
      ended_at: null,
    })
    .execute()
  await db
    .insertInto('wallet_keys')
    .values({
      wallet_id: wallet.id,
      version: key.version,
      master_key_id: key.masterKeyId,
      wrapped_data_key: key.wrappedDataKey,
      sealed_key: key.sealedKey,
    })
    .execute()
}

export async function findWallet(db: Db, id: string): Promise<Wallet | undefined> {
  const [row] = await selectById(db, { id })
  return row && toWallet(row)
}

const selectById = prepared((db, given: Given<{ id: string }>) =>
  db.selectFrom('wallets').select(WALLET_COLUMNS).where('id', '=', given('id')),
)

/** A wallet of an account that has not ended; what is foreign, ended or unknown looks the same. */
export async function findOwnedWallet(db: Db, accountId: string, address: string): Promise<Wallet | undefined> {
  const [row] = await selectOwned(db, { accountId, address })
  return row && toWallet(row)
}

const selectOwned = prepared((db, given: Given<{ accountId: string; address: string }>) =>
  db
    .selectFrom('wallets')
    .select(WALLET_COLUMNS)
    .where('address', '=', given('address'))
    .where('account_id', '=', given('accountId'))
    .where('status', 'in', ['active', 'held']),
)

/** The one wallet of a purpose that the service has only once. */
export async function findServiceWallet(db: Db, purpose: string): Promise<Wallet | undefined> {
  const row = await db
    .selectFrom('wallets')
    .selectAll()
    .where('purpose', '=', purpose)
    .where('account_id', 'is', null)
    .executeTakeFirst()
  return row && toWallet(row)
}

/** Bounded by what an account may have; newest first. */
export async function listOwnedWallets(db: Db, accountId: string, limit: number): Promise<Wallet[]> {
  const rows = await db
    .selectFrom('wallets')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('status', 'in', ['active', 'held'])
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toWallet)
}

export async function countOwnedWallets(db: Db, accountId: string): Promise<number> {
  const row = await db
    .selectFrom('wallets')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('account_id', '=', accountId)
    .where('status', 'in', ['active', 'held', 'expiring'])
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** Replaces the metadata of a wallet; undefined when the account has no such wallet. */
export async function updateMetadata(
  db: Db,
  { accountId, address, metadata }: { accountId: string; address: string; metadata: JsonObject },
): Promise<Wallet | undefined> {
  const row = await db
    .updateTable('wallets')
    .set({ metadata: JSON.stringify(metadata) })
    .where('address', '=', address)
    .where('account_id', '=', accountId)
    .where('status', 'in', ['active', 'held'])
    .returningAll()
    .executeTakeFirst()
  return row && toWallet(row)
}

/** Holds the row until the transaction ends: a wallet that takes a send cannot begin to end meanwhile. */
export async function lockUsableWallet(db: Db, id: string): Promise<boolean> {
  return (await lockUsable(db, { id })).length > 0
}

const lockUsable = prepared((db, given: Given<{ id: string }>) =>
  db
    .updateTable('wallets')
    .set(({ ref }) => ({ fence: ref('fence') }))
    .where('id', '=', given('id'))
    .where('status', 'in', ['active', 'held'])
    .where('frozen_at', 'is', null)
    .returning('id'),
)

/** The chain has moved by a block that we did not sign; false when our own word has changed meanwhile. */
export async function moveFrontier(
  db: Db,
  { id, frontier: from }: Pick<Wallet, 'id' | 'frontier'>,
  { frontier, balance }: Pick<Wallet, 'frontier' | 'balance'>,
): Promise<boolean> {
  const row = await db
    .updateTable('wallets')
    .set({ frontier, balance_raw: balance.toString() })
    .where('id', '=', id)
    .where('frontier', '=', from)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The chain has moved by a confirmed block of ours. */
export async function updateFrontier(db: Db, id: string, frontier: string, balance: Raw): Promise<void> {
  await moveOn(db, { id, frontier, balance: balance.toString() })
}

const moveOn = prepared((db, given: Given<{ id: string; frontier: string; balance: string }>) =>
  db
    .updateTable('wallets')
    .set({ frontier: given('frontier'), balance_raw: given('balance') })
    .where('id', '=', given('id')),
)

/** The same while no instance has the lock; false when one has. The row is held until the transaction ends, so that none gets it. */
export async function updateFreeFrontier(
  db: Db,
  { id, frontier, balance, now }: Pick<Wallet, 'id' | 'frontier' | 'balance'> & { now: number },
): Promise<boolean> {
  return (await moveFree(db, { id, frontier, balance: balance.toString(), now })).length > 0
}

const moveFree = prepared((db, given: Given<{ id: string; frontier: string; balance: string; now: number }>) =>
  db
    .updateTable('wallets')
    .set({ frontier: given('frontier'), balance_raw: given('balance') })
    .where('id', '=', given('id'))
    .where('lease_until', '<=', given('now'))
    .returning('id'),
)

export async function listDueWallets(db: Db, now: number, limit: number): Promise<Wallet[]> {
  const rows = await db
    .selectFrom('wallets')
    .selectAll()
    .where(sql<boolean>`status = 'active'`)
    .where('expires_at', '<=', now)
    .where('frozen_at', 'is', null)
    .orderBy('expires_at')
    .limit(limit)
    .execute()
  return rows.map(toWallet)
}

/** Wallets of one purpose that hold something, and have no end of their own. Asked by the index of those that live. */
export async function listHolding(
  db: Db,
  { purpose, after, limit }: { purpose: string; after: string; limit: number },
): Promise<Wallet[]> {
  const rows = await db
    .selectFrom('wallets')
    .selectAll()
    .where(sql<boolean>`status = 'active'`)
    .where('expires_at', 'is', null)
    .where('purpose', '=', purpose)
    .where('balance_raw', '<>', '0')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toWallet)
}

/** Active or held → expiring; false when it had begun already. */
export async function markExpiring(db: Db, id: string, endsAs: 'ended' | 'deleted'): Promise<boolean> {
  return mark(db, id, ['active', 'held'], { status: 'expiring', ends_as: endsAs })
}

/** What cannot be refunded stays with its owner. */
export async function markHeld(db: Db, id: string): Promise<boolean> {
  return mark(db, id, ['active', 'expiring', 'ended', 'deleted'], { status: 'held', ends_as: null, ended_at: null })
}

/** Empty, and nothing under way → over. */
export async function markEnded(db: Db, id: string, as: 'ended' | 'deleted', now: number): Promise<boolean> {
  return mark(db, id, ['expiring', 'held'], { status: as, ends_as: null, ended_at: now })
}

async function mark(
  db: Db,
  id: string,
  from: WalletStatus[],
  change: { status: WalletStatus; ends_as: 'ended' | 'deleted' | null; ended_at?: number | null },
): Promise<boolean> {
  const row = await db
    .updateTable('wallets')
    .set(change)
    .where('id', '=', id)
    .where('status', 'in', from)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function findWalletByAddress(db: Db, address: string): Promise<Wallet | undefined> {
  const row = await db.selectFrom('wallets').selectAll().where('address', '=', address).executeTakeFirst()
  return row && toWallet(row)
}

/** Addresses worth listening for: of wallets that live, or ended a short while ago. */
export async function listWatched(db: Db, endedSince: number): Promise<{ id: string; address: string }[]> {
  return db
    .selectFrom('wallets')
    .select(['id', 'address'])
    .where((where) => where.or([where('ended_at', 'is', null), where('ended_at', '>=', endedSince)]))
    .execute()
}

/**
 * The wallets that live, or that have ended, about which the ledger was not asked for longest, and not since a time. `looked_at` of one that
 * is asked about rarely lies ahead of the clock.
 */
export async function listLeastLookedAt(
  db: Db,
  { ended, before, limit }: { ended: boolean; before: number; limit: number },
): Promise<Wallet[]> {
  const rows = await db
    .selectFrom('wallets')
    .selectAll()
    .where('ended_at', ended ? 'is not' : 'is', null)
    .where('looked_at', '<=', before)
    .where('frozen_at', 'is', null)
    .orderBy('looked_at')
    .limit(limit)
    .execute()
  return rows.map(toWallet)
}

/**
 * The ledger was asked about them. One that lives is asked about again as soon as others; of one that has ended, or is the service's and never held anything,
 * the next time is a twentieth of its age away, a day at most.
 */
export async function markLooked(db: Db, ids: readonly string[], now: number): Promise<void> {
  if (ids.length === 0) return
  const age = (since: 'ended_at' | 'created_at') =>
    sql<number>`cast((${now} - ${sql.ref(since)}) / ${sql.lit(AGE_SHARE)} as bigint)`
  const rest = (since: 'ended_at' | 'created_at') =>
    sql<number>`case when ${age(since)} < ${sql.lit(REST_MAX)} then ${age(since)} else ${sql.lit(REST_MAX)} end`
  await db
    .updateTable('wallets')
    .set({
      looked_at: sql<number>`${now} + case when ended_at is not null then ${rest('ended_at')}
        when frontier = ${ZERO_HASH} and purpose <> 'cloud' then ${rest('created_at')} else 0 end`,
    })
    .where('id', 'in', ids)
    .execute()
}

const AGE_SHARE = 20
const REST_MAX = 86_400_000

export async function countByStatus(db: Db): Promise<{ status: string; frozen: boolean; count: number }[]> {
  const rows = await db
    .selectFrom('wallets')
    .select(({ fn, eb }) => [
      'status',
      eb.case().when('frozen_at', 'is', null).then(0).else(1).end().as('frozen'),
      fn.countAll().as('count'),
    ])
    .groupBy(['status', 'frozen'])
    .execute()
  return rows.map(({ status, frozen, count }) => ({ status, frozen: frozen === 1, count: Number(count) }))
}
