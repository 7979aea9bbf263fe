import { type Selectable, sql } from 'kysely'
import { type Raw, toRaw } from '../../kernel/money.ts'
import { ZERO_HASH } from '../../kernel/nano/block.ts'
import type { EncryptedKey } from '../../kernel/key-vault.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import type { Db } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'
import type { SeedPlace } from './seeds-store.ts'
import type { WalletsTable } from './tables.ts'

type WalletStatus = WalletsTable['status']

export interface Wallet {
  id: string
  accountId: string | null
  purpose: string
  address: string
  status: WalletStatus
  endsAs: 'ended' | 'deleted' | null
  /** As given in the request. */
  refundAddress: string | string[] | null
  metadata: JsonObject | null
  expiresAt: number | null
  /** The chain's state by our record; the ledger must agree before anything is signed. */
  frontier: string
  balance: Raw
  frozenAt: number | null
  /** Set from the unfreezing until the ledger's state is taken over. */
  unfrozenAt: number | null
  /** The block of its chain that all nodes deny, since when, and in how many rounds. */
  denied: { hash: string; since: number; rounds: number } | null
  /** When blocks of it were released; null again once a later block is final. */
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
    unfrozenAt: row.thawed_at,
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

/** Stores a wallet and its key, both or neither. */
export async function insertWallet(db: Db, wallet: NewWallet, key: EncryptedKey & Partial<SeedPlace>): Promise<void> {
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
      sealed_key: key.encryptedKey,
      seed_id: key.seedId ?? null,
      seed_index: key.index ?? null,
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

/** An account's wallet that has not ended; a foreign, ended or unknown one is undefined alike. */
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

/** The wallet of a purpose for which the service has only one. */
export async function findServiceWallet(db: Db, purpose: string): Promise<Wallet | undefined> {
  const row = await db
    .selectFrom('wallets')
    .selectAll()
    .where('purpose', '=', purpose)
    .where('account_id', 'is', null)
    .executeTakeFirst()
  return row && toWallet(row)
}

/** Newest first; bounded by the limit of wallets of an account. */
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

/** Locks the row until the transaction ends, so that a wallet cannot begin to end while it takes a send. */
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

/** Records a block that we did not sign as the chain's newest; false when our record has changed meanwhile. */
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

/** Records a confirmed block of ours as the chain's newest. */
export async function updateFrontier(db: Db, id: string, frontier: string, balance: Raw): Promise<void> {
  await moveOn(db, { id, frontier, balance: balance.toString() })
}

const moveOn = prepared((db, given: Given<{ id: string; frontier: string; balance: string }>) =>
  db
    .updateTable('wallets')
    .set({ frontier: given('frontier'), balance_raw: given('balance') })
    .where('id', '=', given('id')),
)

/** The same while no instance has the lock; false when one has. The row is locked until the transaction ends, so that none can take it. */
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

/** Wallets of one purpose that hold money and have no lifetime of their own; uses the index of live wallets. */
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

/** Active or held to expiring; false when it is ending already. */
export async function markExpiring(db: Db, id: string, endsAs: 'ended' | 'deleted'): Promise<boolean> {
  return mark(db, id, ['active', 'held'], { status: 'expiring', ends_as: endsAs })
}

/** Without a refund address, the balance stays with the owner. */
export async function markHeld(db: Db, id: string): Promise<boolean> {
  return mark(db, id, ['active', 'expiring', 'ended', 'deleted'], { status: 'held', ends_as: null, ended_at: null })
}

/** Ends a wallet that is empty and has nothing under way. */
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

/** Addresses to subscribe to: of wallets that are live or ended recently. */
export async function listWatched(db: Db, endedSince: number): Promise<{ id: string; address: string }[]> {
  return db
    .selectFrom('wallets')
    .select(['id', 'address'])
    .where((where) => where.or([where('ended_at', 'is', null), where('ended_at', '>=', endedSince)]))
    .execute()
}

/**
 * Wallets, live or ended, that were not checked for longest, and not since a given time.
 * For a wallet that is checked rarely, `looked_at` is in the future.
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
 * Records a check. Live wallets are due again like all others; an ended one, or one of the service that never held anything, is due after a
 * twentieth of its age, at most a day.
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
