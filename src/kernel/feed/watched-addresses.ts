import type { Clock, Random } from '../ports.ts'
import { AddressSet } from './address-set.ts'

const PAGE = 10_000
/** How often new addresses are read from the store, in case a notice from another instance got lost. */
const REFRESH_EVERY = 30_000
const RELOAD_EVERY = 3_600_000
/** After so many added addresses the whole list is read early, because removed addresses stay in memory until then. */
const ADDED_MAX = 200_000

/** The store of watched addresses. Each function returns a page, ordered by address, that begins after `after`. */
export interface AddressSource {
  listAddresses(page: { after: string; limit: number }): Promise<string[]>
  /** Addresses that were added since a time. */
  listFresh(page: { since: number; after: string; limit: number }): Promise<string[]>
}

/** All watched addresses, in memory, so that a confirmation for any other address costs one look-up. */
export class WatchedAddresses {
  readonly #clock: Clock
  readonly #random: Random
  readonly #source: AddressSource
  #set: AddressSet
  #added = 0
  /** Addresses that were added while the whole list was being read again. */
  #meanwhile: string[] | undefined
  #refreshedAt = 0
  #reloadedAt = 0

  constructor({ clock, random, source }: { clock: Clock; random: Random; source: AddressSource }) {
    this.#clock = clock
    this.#random = random
    this.#source = source
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
    const now = this.#clock.now()
    if (now - this.#refreshedAt < REFRESH_EVERY) return
    if (now - this.#reloadedAt >= RELOAD_EVERY || this.#added > ADDED_MAX) return this.reload()
    await this.readFresh()
  }

  /** Adds what other instances have stored recently. */
  async readFresh(): Promise<void> {
    const now = this.#clock.now()
    const since = this.#refreshedAt - REFRESH_EVERY
    await eachPage(
      (after) => this.#source.listFresh({ since, after, limit: PAGE }),
      (page) => this.add(page.filter((address) => !this.has(address))),
    )
    this.#refreshedAt = now
  }

  /** Reads the whole list again, which removes addresses that are no longer watched. */
  async reload(): Promise<void> {
    const now = this.#clock.now()
    this.#meanwhile = []
    const set = this.#emptySet()
    await eachPage(
      (after) => this.#source.listAddresses({ after, limit: PAGE }),
      (page) => page.forEach((address) => set.add(address)),
    )
    for (const address of this.#meanwhile) set.add(address)
    this.#meanwhile = undefined
    this.#set = set
    this.#added = 0
    this.#refreshedAt = this.#reloadedAt = now
  }

  #emptySet(): AddressSet {
    return new AddressSet(this.#random.bytes(8))
  }
}

async function eachPage(read: (after: string) => Promise<string[]>, take: (page: string[]) => void): Promise<void> {
  for (let after = ''; ;) {
    const page = await read(after)
    take(page)
    if (page.length < PAGE) return
    after = page.at(-1)!
  }
}
