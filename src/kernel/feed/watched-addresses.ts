import type { Clock, Random } from '../ports.ts'

const SLOTS_MIN = 1 << 10
/** If a larger share of the slots were taken, look-ups would take too long. */
const FULL = 0.6
/** The part of an address that encodes its key; the rest is the checksum. */
const KEY_LETTERS = 52
const CHECKSUM_LETTERS = 8

/**
 * The set of watched addresses, in 8 bytes per slot. It keeps 64 bits of each address, mixed with a random number of
 * this process, so that attackers cannot choose addresses that collide. An address that only seems to be watched costs
 * one read of the store.
 */
class AddressSet {
  readonly #seedLow: number
  readonly #seedHigh: number
  #low = 0
  #high = 0
  #slots = new Uint32Array(2 * SLOTS_MIN)
  #size = 0

  constructor(seed: Uint8Array) {
    const view = new DataView(seed.buffer, seed.byteOffset, 8)
    this.#seedLow = view.getUint32(0)
    this.#seedHigh = view.getUint32(4)
  }

  get size(): number {
    return this.#size
  }

  get bytes(): number {
    return this.#slots.byteLength
  }

  has(address: string): boolean {
    this.#mix(address)
    return this.#slots[this.#find(this.#low, this.#high)] !== 0
  }

  add(address: string): void {
    this.#mix(address)
    const at = this.#find(this.#low, this.#high)
    if (this.#slots[at] !== 0) return
    this.#slots[at] = this.#low
    this.#slots[at + 1] = this.#high
    this.#size++
    if (this.#size > (this.#slots.length / 2) * FULL) this.#grow()
  }

  #find(low: number, high: number): number {
    const mask = this.#slots.length / 2 - 1
    for (let slot = high & mask; ; slot = (slot + 1) & mask) {
      const found = this.#slots[2 * slot]!
      if (found === 0 || (found === low && this.#slots[2 * slot + 1] === high)) return 2 * slot
    }
  }

  #grow(): void {
    const before = this.#slots
    this.#slots = new Uint32Array(2 * before.length)
    for (let at = 0; at < before.length; at += 2) {
      const [low, high] = [before[at]!, before[at + 1]!]
      if (low === 0) continue
      const place = this.#find(low, high)
      this.#slots[place] = low
      this.#slots[place + 1] = high
    }
  }

  /**
   * Makes two numbers of 32 bits from the address, four letters at a time. The first is never zero, because zero marks
   * an empty slot. They are returned in members: allocating a pair for each confirmation would cost more than
   * everything else.
   */
  #mix(address: string): void {
    let [low, high] = [this.#seedLow, this.#seedHigh]
    const end = address.length - CHECKSUM_LETTERS
    for (let at = end - KEY_LETTERS; at < end; at += 4) {
      const letters =
        address.charCodeAt(at) |
        (address.charCodeAt(at + 1) << 8) |
        (address.charCodeAt(at + 2) << 16) |
        (address.charCodeAt(at + 3) << 24)
      low = Math.imul(low ^ letters, 0x9e3779b1)
      low ^= low >>> 15
      high = Math.imul(high ^ letters, 0x85ebca6b)
      high ^= high >>> 13
    }
    low = Math.imul(low ^ (high >>> 16), 0xc2b2ae35)
    high = Math.imul(high ^ (low >>> 16), 0x27d4eb2f)
    this.#low = (low ^ (low >>> 15)) >>> 0 || 1
    this.#high = (high ^ (high >>> 13)) >>> 0
  }
}

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
