import { type RecordIn, type RowIn, columns, json, named, orNull, plain, raw } from '../../kernel/resource/columns.ts'
import { sql } from 'kysely'
import { type Raw, toRaw } from '../../kernel/money.ts'
import { ZERO_HASH } from '../../kernel/nano/block.ts'
import type { EncryptedKey } from '../../kernel/key-vault.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import type { Db } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'
import type { SeedPlace } from './seeds-store.ts'

/** A ledger account whose key the gateway keeps. `fence` changes with every holder of the lock. */
const WALLET = columns({
  id: plain<string>(),
  /** The owning account; null for the service's own wallets. */
  accountId: plain<string | null>(),
  purpose: plain<string>(),
  address: plain<string>(),
  status: plain<'active' | 'held' | 'expiring' | 'ended' | 'deleted'>(),
  /** The status that an expiring wallet gets at the end. */
  endsAs: plain<'ended' | 'deleted' | null>(),
  /** JSON: an address or a list of them, as given in the request. */
  refundAddress: orNull(json<string | string[]>()),
  metadata: orNull(json<JsonObject>()),
  /** Null for wallets that do not end. */
  expiresAt: plain<number | null>(),
  /** The chain's state by our record: the last confirmed block (64 zeros before the first) and its balance. */
  frontier: plain<string>(),
  balance: named('balance_raw', raw()),
  /** Set once a foreign signer was seen on its chain: nothing is signed any more. */
  frozenAt: plain<number | null>(),
  /** When an operator unfroze it; null once the ledger's state is taken over. */
  unfrozenAt: named('thawed_at', plain<number | null>()),
  /** The first block of its chain that all nodes deny, so that it may never be confirmed; since when, and in how many rounds. */
  deniedHash: plain<string | null>(),
  deniedAt: plain<number | null>(),
  deniedRounds: plain<number>(),
  /** When blocks of it were released; null once a later confirmed block proves that those never will be. */
  voidedAt: plain<number | null>(),
  createdAt: plain<number>(),
})

export interface WalletsTable extends RowIn<typeof WALLET> {
  lease_until: number
  fence: number
  frozen_reason: string | null
  /** When the ledger was last checked for deposits and foreign blocks. */
  looked_at: number
  ended_at: number | null
}

export type WalletStatus = WalletsTable['status']

type WalletRecord = RecordIn<typeof WALLET>

export interface Wallet extends Omit<WalletRecord, 'deniedHash' | 'deniedAt' | 'deniedRounds'> {
  /** The block of its chain that all nodes deny, since when, and in how many rounds. */
  denied: { hash: string; since: number; rounds: number } | null
}

export const WALLET_COLUMNS = WALLET.names

export function toWallet(row: RowIn<typeof WALLET>): Wallet {
  const { deniedHash: hash, deniedAt: since, deniedRounds: rounds, ...wallet } = WALLET.toRecord(row)
  return { ...wallet, denied: hash === null || since === null ? null : { hash, since, rounds } }
}

type NewWallet = Pick<
  Wallet,
  'id' | 'accountId' | 'purpose' | 'address' | 'refundAddress' | 'metadata' | 'expiresAt' | 'createdAt'
>

const NEW = {
  status: 'active',
  endsAs: null,
  frontier: ZERO_HASH,
  balance: toRaw(0n),
  frozenAt: null,
  unfrozenAt: null,
  deniedHash: null,
  deniedAt: null,
  deniedRounds: 0,
  voidedAt: null,
} as const

/** Stores a wallet and its key, both or neither. */
export async function insertWallet(db: Db, wallet: NewWallet, key: EncryptedKey & Partial<SeedPlace>): Promise<void> {
  await db
    .insertInto('wallets')
    .values({
      ...WALLET.toRow({ ...wallet, ...NEW }),
      lease_until: 0,
      fence: 0,
      frozen_reason: null,
      looked_at: wallet.createdAt,
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
