import type { Announced } from '../../../kernel/feed/ledger-feed.ts'
import { wantsKind } from '../endpoints/fan-out.ts'
import type { Watcher } from './looks-store.ts'

/** The maximum of waiting addresses; those beyond it are found by their regular looks. */
const WAITING_MAX = 100_000
/** Every account may have this many waiting, however full the queue is. */
const SHARE_MIN = 50
/** One look at an address finds all its blocks, so a longer list is not needed. */
const HASHES_MAX = 1_000

/** The announcements at an address by block hash; a payment to oneself is announced twice. */
export type ReceivedAt = Map<string, readonly Announced[]>

/**
 * Addresses at which a block was announced, waiting for a look. Accounts take turns: an account with thousands of confirmed blocks delays only
 * its own looks. Which account watches an address must be queried, for many addresses at once; until then the address waits in `#fresh`.
 */
export class ReceivedQueue {
  readonly #fresh = new Map<string, ReceivedAt>()
  /** By account, the one whose turn is next first; within it by address, the longest waiting first. */
  readonly #shares = new Map<string, Map<string, ReceivedAt>>()
  /** The account in whose share an address waits. */
  readonly #places = new Map<string, string>()

  get isEmpty(): boolean {
    return this.#fresh.size === 0 && this.#places.size === 0
  }

  add(announced: Announced): void {
    const { address, hash } = announced
    const place = this.#places.get(address)
    const waiting = place === undefined ? this.#fresh.get(address) : this.#shares.get(place)!.get(address)
    if (waiting) note(waiting, [announced])
    else if (this.#fresh.size < WAITING_MAX) this.#fresh.set(address, new Map([[hash, [announced]]]))
  }

  /** The next addresses whose watchers are not known yet; `place` puts them back, unless they are not watched. */
  takeFresh(limit: number): Map<string, ReceivedAt> {
    const taken = new Map<string, ReceivedAt>()
    for (const [address, blocks] of this.#fresh) {
      if (taken.size === limit) break
      taken.set(address, blocks)
    }
    for (const address of taken.keys()) this.#fresh.delete(address)
    return taken
  }

  /** Adds an address to the share of the watcher with the fewest waiting: one look serves all. Leaves out blocks that no watcher asks for. */
  place(address: string, blocks: ReceivedAt, watchers: readonly Watcher[]): void {
    const asked = [...blocks].filter(([, announced]) =>
      watchers.some((watcher) => announced.some(({ direction }) => wantsKind(watcher, `address.${direction}`))),
    )
    const [account] = watchers
      .map(({ accountId }) => accountId)
      .sort((one, other) => this.#sizeOf(one) - this.#sizeOf(other))
    if (asked.length === 0 || account === undefined) return
    const place = this.#places.get(address) ?? account
    const share = this.#shares.get(place) ?? new Map<string, ReceivedAt>()
    const waiting = share.get(address)
    if (!waiting && share.size >= this.#shareMax()) return
    if (waiting) for (const [, announced] of asked) note(waiting, announced)
    else share.set(address, new Map(asked))
    this.#shares.set(place, share)
    this.#places.set(address, place)
  }

  /** The next addresses to look at, one of each account before the second of any. */
  take(limit: number): Map<string, ReceivedAt> {
    const batch = new Map<string, ReceivedAt>()
    while (batch.size < limit) {
      const [account, share] = this.#shares.entries().next().value ?? []
      if (account === undefined || !share) break
      const [address, blocks] = share.entries().next().value!
      share.delete(address)
      this.#places.delete(address)
      this.#shares.delete(account)
      if (share.size > 0) this.#shares.set(account, share)
      batch.set(address, blocks)
    }
    return batch
  }

  #sizeOf(account: string): number {
    return this.#shares.get(account)?.size ?? 0
  }

  /** Divides the queue among all waiting accounts, and one more that may come. */
  #shareMax(): number {
    if (this.#places.size >= WAITING_MAX) return SHARE_MIN
    return Math.max(SHARE_MIN, Math.floor(WAITING_MAX / (this.#shares.size + 1)))
  }
}

/** Of two announcements of a block in one direction keeps the one with fewer tries, so that a repeated announcement gets all of its tries. */
function note(waiting: ReceivedAt, announced: readonly Announced[]): void {
  const { hash } = announced[0]!
  const known = waiting.get(hash)
  if (!known && waiting.size >= HASHES_MAX) return
  const byDirection = Map.groupBy([...(known ?? []), ...announced], ({ direction }) => direction)
  const freshest = (same: Announced[]) => same.reduce((one, other) => (other.tries < one.tries ? other : one))
  waiting.set(hash, [...byDirection.values()].map(freshest))
}
