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
import { type WalletRoom, tellWallet } from '../room.ts'
import {
  type Wallet,
  countOwnedWallets,
  findOwnedWallet,
  findWallet,
  insertWallet,
  listOwnedWallets,
} from '../store.ts'
import { withOwnBlocks } from './read-balance.ts'

const VANITY = /^[13][13456789abcdefghijkmnopqrstuwxyz]{0,4}$/
const VANITY_SECONDS = 30
const KEY_BYTES = 32

interface WalletRequest {
  /** Undefined for the service's own. */
  accountId: string | undefined
  purpose: string
  refundAddress?: string | string[]
  metadata?: JsonObject
  /** Undefined never ends. */
  lifetimeMilliseconds?: number
  vanity?: { prefix: string; leaving: Leaving }
  actor: Actor
  /** Makes the same one again; undefined where another request makes the wallet along with what it is for. */
  idempotency?: Idempotency | undefined
}

/** Makes a wallet. Its address is told only after its sealed key is committed. */
export async function createWallet(ctx: WalletRoom, request: WalletRequest): Promise<Wallet> {
  const { store, rules } = ctx
  const { accountId, actor, idempotency } = request
  const made = idempotency?.made as { id: string } | undefined
  if (made) return (await findWallet(store.db, made.id))!
  const { walletsMax } = rules
  const checkRoom = async (db: typeof store.db) => {
    if (accountId === undefined || walletsMax === 0) return
    if ((await countOwnedWallets(db, accountId)) >= walletsMax) throw tooManyWallets(walletsMax)
  }
  // A search takes seconds; an account without room should not have one.
  if (request.vanity) await checkRoom(store.db)
  return alongWallet(ctx, request, async ({ id, address, keep }) => {
    await store.db.transaction().execute(async (tx) => {
      // Counting and adding are one, however many ask at once.
      if (accountId !== undefined && walletsMax > 0) await lockAccount(tx, accountId)
      await checkRoom(tx)
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
  /** Stores it with its key, in the transaction of what it is for. */
  keep(db: Db): Promise<void>
}

/**
 * Makes a wallet along with what it is for, in one transaction of `run`: what is refused there leaves no wallet behind. Once `run` is
 * done, the address is listened for.
 */
export async function alongWallet<T>(
  ctx: WalletRoom,
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
  const key = vanity
    ? await findVanityKey(ctx, { ...vanity, payer: accountId ?? purpose })
    : store.random.bytes(KEY_BYTES)
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
    let isKept = false
    // Sealed as late as can be: a master key may be taken out of use at any time.
    const keep = async (db: Db) => {
      await insertWallet(db, wallet, vault.seal({ walletId: id, address }, key))
      isKept = true
    }
    const result = await run({ id, address, keep })
    if (isKept) {
      watchAddress(id, address)
      tellWallet(ctx, wallet)
    }
    return result
  } finally {
    key.fill(0)
  }
}

/** A key whose address begins as wished. It has no seed: what is kept is its scalar and the prefix of its nonces. */
async function findVanityKey(
  { vanity }: WalletRoom,
  { prefix: wish, leaving, payer }: { prefix: string; leaving: Leaving; payer: string },
): Promise<Uint8Array> {
  const prefix = wish.replace(/^nano_/, '').toLowerCase()
  if (!VANITY.test(prefix)) throw invalidVanity()
  const found = await vanity.find({ payer, prefix, timeLimitMilliseconds: VANITY_SECONDS * 1_000, leaving })
  if (!found) throw vanityNotFound(VANITY_SECONDS)
  return hexToBytes(found.scalar + found.prefix)
}

/** A wallet of this account that has not ended. Every other one looks as if it did not exist. */
export async function getOwnedWallet(db: Db, accountId: string, address: string): Promise<Wallet> {
  const wallet = await findOwnedWallet(db, accountId, address)
  if (!wallet) throw walletNotFound()
  return wallet
}

const READ_MAX = 10_000

interface WalletFilter {
  limit: number
  start: number
  /** Part of the address or of the metadata, in any case. */
  search: string | undefined
  /** Members that the metadata must have, with these values. */
  metadata: JsonObject | undefined
}

/** The wallets of an account that have not ended, newest first. How many there are is bounded by what an account may have. */
export async function listWallets(
  { store }: WalletRoom,
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
