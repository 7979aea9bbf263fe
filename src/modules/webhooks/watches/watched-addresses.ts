import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { AddressSet } from './address-set.ts'
import { listAddresses, listFreshAddresses } from './store.ts'

const PAGE = 10_000
/** What notices between instances have lost is found again in the store. */
const REFRESH_EVERY = 30_000
const RELOAD_EVERY = 3_600_000
/** Who adds and removes addresses all day makes the list grow; then it is read anew sooner. */
const ADDED_MAX = 200_000

/** All addresses that are watched, in memory: a confirmation that concerns none of them costs one look-up. */
export class WatchedAddresses {
  readonly #ctx: StoreCtx
  #set: AddressSet
  #added = 0
  /** Those that came while the whole list is read again. */
  #meanwhile: string[] | undefined
  #refreshedAt = 0
  #reloadedAt = 0

  constructor(ctx: StoreCtx) {
    this.#ctx = ctx
    this.#set = this.#emptySet()
  }

  get size(): number {
    return this.#set.size
  }

  get bytes(): number {
    return this.#set.bytes
  }

  has(address: string): boolean {
    return this.#set.has(address)
  }

  add(addresses: readonly string[]): void {
    for (const address of addresses) this.#set.add(address)
    this.#added += addresses.length
    this.#meanwhile?.push(...addresses)
  }

  async keepFresh(): Promise<void> {
    const now = this.#ctx.clock.now()
    if (now - this.#refreshedAt < REFRESH_EVERY) return
    if (now - this.#reloadedAt >= RELOAD_EVERY || this.#added > ADDED_MAX) return this.reload()
    await this.readFresh()
  }

  /** What other instances have written lately. */
  async readFresh(): Promise<void> {
    const { db, clock } = this.#ctx
    const now = clock.now()
    const since = this.#refreshedAt - REFRESH_EVERY
    for (let after = ''; ;) {
      const page = await listFreshAddresses(db, { since, after, limit: PAGE })
      this.add(page.filter((address) => !this.has(address)))
      if (page.length < PAGE) break
      after = page.at(-1)!
    }
    this.#refreshedAt = now
  }

  /** The whole list anew, which forgets what is watched no longer. */
  async reload(): Promise<void> {
    const { db, clock } = this.#ctx
    const now = clock.now()
    this.#meanwhile = []
    const set = this.#emptySet()
    for (let after = ''; ;) {
      const page = await listAddresses(db, { after, limit: PAGE })
      for (const address of page) set.add(address)
      if (page.length < PAGE) break
      after = page.at(-1)!
    }
    for (const address of this.#meanwhile) set.add(address)
    this.#meanwhile = undefined
    this.#set = set
    this.#added = 0
    this.#refreshedAt = this.#reloadedAt = now
  }

  #emptySet(): AddressSet {
    return new AddressSet(this.#ctx.random.bytes(8))
  }
}
