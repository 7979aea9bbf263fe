import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../../kernel/actor.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import type { Leaving } from '../../../kernel/leaving.ts'
import { toAddress } from '../../../kernel/nano/address.ts'
import { hexToBytes } from '../../../kernel/nano/hex.ts'
import { toSigningKey } from '../../../kernel/nano/keys.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { insertAudit, lockAccount } from '../../accounts/index.ts'
import { invalidVanity, tooManyWallets, vanityNotFound, walletNotFound } from '../errors.ts'
import { type WalletContext, notifyWallet } from '../context.ts'
import {
  type Wallet,
  countOwnedWallets,
  findOwnedWallet,
  findWallet,
  insertWallet,
  listOwnedWallets,
} from '../store.ts'
import { withOwnBlocks } from './read-balance.ts'
import { takeKey } from './seeds.ts'

const VANITY = /^[13][13456789abcdefghijkmnopqrstuwxyz]{0,4}$/
const VANITY_SECONDS = 30

interface WalletRequest {
  /** Undefined for wallets of the service. */
  accountId: string | undefined
  purpose: string
  refundAddress?: string | string[]
  metadata?: JsonObject
  /** Undefined for a wallet that never ends. */
  lifetimeMilliseconds?: number
  vanity?: { prefix: string; leaving: Leaving }
  actor: Actor
  /** Makes a repeated request return the same wallet; undefined where the caller's own request is idempotent. */
  idempotency?: Idempotency | undefined
}

/** Makes a wallet. Its address is returned only after its encrypted key is committed. */
export async function createWallet(ctx: WalletContext, request: WalletRequest): Promise<Wallet> {
  const { store, rules } = ctx
  const { accountId, actor, idempotency } = request
  const made = idempotency?.made as { id: string } | undefined
  if (made) return (await findWallet(store.db, made.id))!
  const { walletsMax } = rules
  const checkCount = async (db: typeof store.db) => {
    if (accountId === undefined || walletsMax === 0) return
    if ((await countOwnedWallets(db, accountId)) >= walletsMax) throw tooManyWallets(walletsMax)
  }
  // A search takes seconds, so an account at its limit is refused before it.
  if (request.vanity) await checkCount(store.db)
  return alongWallet(ctx, request, async ({ id, address, keep }) => {
    await store.db.transaction().execute(async (tx) => {
      // Locks the account so that concurrent requests cannot all pass the limit.
      if (accountId !== undefined && walletsMax > 0) await lockAccount(tx, accountId)
      await checkCount(tx)
      await keep(tx)
      if (accountId !== undefined)
        await insertAudit({ ...store, db: tx }, { actor, accountId, what: 'wallet.made', detail: { address } })
      await idempotency?.record(tx, { id })
    })
    return (await findWallet(store.db, id))!
  })
}

/** A wallet that is about to be made. */
export interface NewWallet {
  id: string
  address: string
  /** Stores the wallet with its key, in the transaction of what it is for. */
  keep(db: Db): Promise<void>
}

/**
 * Makes a wallet together with what it is for, in the transaction of `run`: when `run` is refused, no wallet remains. When `run` is done,
 * events of the address are subscribed to.
 */
export async function alongWallet<T>(
  ctx: WalletContext,
  {
    accountId,
    purpose,
    refundAddress,
    metadata,
    lifetimeMilliseconds,
    vanity,
  }: Omit<WalletRequest, 'actor' | 'idempotency'>,
  run: (wallet: NewWallet) => Promise<T>,
): Promise<T> {
  const { store, vault, watchAddress } = ctx
  const derived = vanity ? undefined : await takeKey({ db: store.db, vault })
  const key = derived?.key ?? (await findVanityKey(ctx, { ...vanity!, payer: accountId ?? purpose }))
  let wasKept = false
  try {
    const id = store.ids.next('wal')
    const address = toAddress(toSigningKey(key).publicKey)
    const createdAt = store.clock.now()
    const wallet = {
      id,
      accountId: accountId ?? null,
      purpose,
      address,
      refundAddress: refundAddress ?? null,
      metadata: metadata ?? null,
      expiresAt: lifetimeMilliseconds === undefined ? null : createdAt + lifetimeMilliseconds,
      createdAt,
    }
    // Encrypted as late as possible, because a master key may be retired at any time.
    const keep = async (db: Db) => {
      wasKept = true
      await insertWallet(db, wallet, { ...vault.encrypt({ walletId: id, address }, key), ...derived?.place })
    }
    const result = await run({ id, address, keep })
    if (wasKept) {
      watchAddress(id, address)
      notifyWallet(ctx, wallet)
    }
    return result
  } finally {
    key.fill(0)
    // Once the wallet was written, its key may be in the store: a commit that reports an error may have happened. So its place is given back only
    // before.
    if (!wasKept) await derived?.giveBack().catch(store.failures.lost('wallet.index'))
  }
}

/** A key whose address begins as requested. It has no seed: its scalar and nonce prefix are stored. */
async function findVanityKey(
  { vanity }: WalletContext,
  { prefix: wish, leaving, payer }: { prefix: string; leaving: Leaving; payer: string },
): Promise<Uint8Array> {
  const prefix = wish.replace(/^nano_/, '').toLowerCase()
  if (!VANITY.test(prefix)) throw invalidVanity()
  const found = await vanity.find({ payer, prefix, timeLimitMilliseconds: VANITY_SECONDS * 1_000, leaving })
  if (!found) throw vanityNotFound(VANITY_SECONDS)
  return hexToBytes(found.scalar + found.prefix)
}

/** An account's wallet that has not ended; any other id behaves as if it did not exist. */
export async function getOwnedWallet(db: Db, accountId: string, address: string): Promise<Wallet> {
  const wallet = await findOwnedWallet(db, accountId, address)
  if (!wallet) throw walletNotFound()
  return wallet
}

const READ_MAX = 10_000

interface WalletFilter {
  limit: number
  start: number
  /** A part of the address or of the metadata, regardless of case. */
  search: string | undefined
  /** Metadata members and the values they must have. */
  metadata: JsonObject | undefined
}

/** An account's wallets that have not ended, newest first. Needs no paging, because an account may have only so many. */
export async function listWallets(
  { store }: WalletContext,
  accountId: string,
  { limit, start, search, metadata }: WalletFilter,
): Promise<Wallet[]> {
  const all = await listOwnedWallets(store.db, accountId, READ_MAX)
  const text = search?.toLowerCase()
  const fits = (wallet: Wallet) =>
    (text === undefined || `${wallet.address} ${JSON.stringify(wallet.metadata)}`.toLowerCase().includes(text)) &&
    Object.entries(metadata ?? {}).every(([name, value]) => isDeepStrictEqual(wallet.metadata?.[name], value))
  return withOwnBlocks({ store }, all.filter(fits).slice(start, start + limit))
}
