import { hashApiKey, kindOfApiKey, looksLikeApiKey } from '../../kernel/api-key.ts'
import type { Failures } from '../../kernel/failures.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Clock, KeyOwner, KeyLookup } from '../../kernel/ports.ts'
import type { Db } from '../../kernel/db.ts'
import { isWhole, rightsOf } from './keys-store.ts'
import { findKeyByHash, updateLastUsed } from './store.ts'

const KNOWN_MILLISECONDS = 30_000
const UNKNOWN_MILLISECONDS = 5_000
const REMEMBERED_MAX = 10_000
const FLUSH_EVERY = 60_000

interface Remembered {
  owner: KeyOwner | undefined
  until: number
}

/**
 * Finds the owner of a key. Results are cached for a while, those of wrong keys more briefly, and equal look-ups at the same time run once. A
 * notice removes a revoked key from the cache. The times of last use are written in batches.
 */
export class StoredKeys implements KeyLookup {
  readonly #db: Db
  readonly #clock: Clock
  readonly #failures: Failures
  readonly #remembered = new Map<string, Remembered>()
  readonly #lookups = new Map<string, Promise<KeyOwner | undefined>>()
  #used = new Map<string, number>()
  #cancelFlush: () => void

  constructor({ db, clock, failures }: Pick<StoreCtx, 'db' | 'clock' | 'failures'>) {
    this.#db = db
    this.#clock = clock
    this.#failures = failures
    this.#cancelFlush = this.#flushLater()
  }

  find(key: string): KeyOwner | undefined | Promise<KeyOwner | undefined> {
    if (!looksLikeApiKey(key)) return undefined
    const hash = hashApiKey(key)
    const known = this.#remembered.get(hash)
    if (known && known.until > this.#clock.now()) {
      if (known.owner) this.#used.set(hash, this.#clock.now())
      return known.owner
    }
    // The checksum reveals a typing error without a look-up. It is computed only for keys that are not cached.
    if (kindOfApiKey(key) === undefined) return undefined
    return this.#lookups.get(hash) ?? this.#lookUp(hash)
  }

  async findNow(key: string): Promise<KeyOwner | undefined> {
    return kindOfApiKey(key) === undefined ? undefined : this.#lookUp(hashApiKey(key))
  }

  /** Call it after a change of a key, here or on another instance. */
  forget(hash: string): void {
    this.#remembered.delete(hash)
    // A running look-up may have read the state before the change.
    this.#lookups.delete(hash)
  }

  /** Call it after a change of an account, such as its first credits, which lift the limits of all its keys. */
  forgetAccount(accountId: string): void {
    for (const [hash, { owner }] of this.#remembered) {
      if (owner?.accountId === accountId) this.#remembered.delete(hash)
    }
    // Running look-ups may belong to this account.
    this.#lookups.clear()
  }

  /** Call it when notices of changes may have been lost. */
  forgetAll(): void {
    this.#remembered.clear()
    this.#lookups.clear()
  }

  async close(): Promise<void> {
    this.#cancelFlush()
    await this.flush().catch(this.#failures.lost('accounts.last-used'))
  }

  #flushLater(): () => void {
    return this.#clock.after(FLUSH_EVERY, () => {
      const again = () => (this.#cancelFlush = this.#flushLater())
      void this.flush().catch(this.#failures.lost('accounts.last-used')).then(again)
    })
  }

  /** Stores when keys were last used. */
  async flush(): Promise<void> {
    const used = this.#used
    if (used.size === 0) return
    this.#used = new Map()
    // In the same order on every instance, so that two of them cannot deadlock.
    const sorted = [...used].sort(([a], [b]) => (a < b ? -1 : 1))
    await this.#db.transaction().execute(async (tx) => {
      for (const [hash, at] of sorted) await updateLastUsed(tx, hash, at)
    })
  }

  #lookUp(hash: string): Promise<KeyOwner | undefined> {
    const lookup = this.#read(hash).then(
      ({ owner, until }) => {
        if (this.#lookups.get(hash) === lookup) {
          this.#lookups.delete(hash)
          this.#remember(hash, { owner, until })
        }
        if (owner) this.#used.set(hash, this.#clock.now())
        return owner
      },
      (error: unknown) => {
        if (this.#lookups.get(hash) === lookup) this.#lookups.delete(hash)
        throw error
      },
    )
    this.#lookups.set(hash, lookup)
    return lookup
  }

  async #read(hash: string): Promise<Remembered> {
    const found = await findKeyByHash(this.#db, hash)
    const now = this.#clock.now()
    const ends = found?.expiresAt ?? Infinity
    if (!found || found.revokedAt !== null || ends <= now) {
      return { owner: undefined, until: now + UNKNOWN_MILLISECONDS }
    }
    const { accountId, id: keyId, kind, prepaid, origins, standing } = found
    const role = isWhole(found) ? found.role : 'user'
    const { plan } = standing
    const isSuspended = standing.suspendedAt !== null
    return {
      owner: { accountId, keyId, kind, role, prepaid, origins, rights: rightsOf(found), isSuspended, plan },
      until: Math.min(now + KNOWN_MILLISECONDS, ends),
    }
  }

  #remember(hash: string, remembered: Remembered): void {
    this.#remembered.set(hash, remembered)
    if (this.#remembered.size > REMEMBERED_MAX) this.#remembered.delete(this.#remembered.keys().next().value!)
  }
}
