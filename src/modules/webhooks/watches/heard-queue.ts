import type { Announced } from '../../../kernel/feed/ledger-feed.ts'
import { wantsKind } from '../endpoints/fan-out.ts'
import type { Watcher } from './looks-store.ts'

/** Addresses that may wait at once; beyond this their own turns have to do. */
const WAITING_MAX = 100_000
/** So many an account may always have waiting, however full it is. */
const SHARE_MIN = 50
/** One look at an address finds all of them, so that it needs no longer list. */
const HASHES_MAX = 1_000

/** What was announced at an address, by the hashes of the blocks; a payment to oneself is announced twice. */
export type HeardAt = Map<string, readonly Announced[]>

/**
 * Addresses to look at because something was heard of there. Accounts take turns: one at whose addresses thousands of blocks are confirmed waits for
 * its own looks, and nobody else does. Whose an address is has to be asked, for many at a time; until then it waits among the fresh.
 */
export class HeardQueue {
  readonly #fresh = new Map<string, HeardAt>()
  /** By account, the one whose turn is next first; by address, the longest waiting first. */
  readonly #shares = new Map<string, Map<string, HeardAt>>()
  /** In whose share an address waits. */
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

  /** The next addresses of which it is not known who watches them; they are put back by `place`, or gone. */
  takeFresh(limit: number): Map<string, HeardAt> {
    const taken = new Map<string, HeardAt>()
    for (const [address, heard] of this.#fresh) {
      if (taken.size === limit) break
      taken.set(address, heard)
    }
    for (const address of taken.keys()) this.#fresh.delete(address)
    return taken
  }

  /** Into the share of the watcher who has the least waiting: one look is for all of them. What none of them asks for is left out. */
  place(address: string, heard: HeardAt, watchers: readonly Watcher[]): void {
    const asked = [...heard].filter(([, announced]) =>
      watchers.some((watcher) => announced.some(({ direction }) => wantsKind(watcher, `address.${direction}`))),
    )
    const [account] = watchers
      .map(({ accountId }) => accountId)
      .sort((one, other) => this.#sizeOf(one) - this.#sizeOf(other))
    if (asked.length === 0 || account === undefined) return
    const place = this.#places.get(address) ?? account
    const share = this.#shares.get(place) ?? new Map<string, HeardAt>()
    const waiting = share.get(address)
    if (!waiting && share.size >= this.#shareMax()) return
    if (waiting) for (const [, announced] of asked) note(waiting, announced)
    else share.set(address, new Map(asked))
    this.#shares.set(place, share)
    this.#places.set(address, place)
  }

  /** The next addresses to look at, one of each account before the second of any. */
  take(limit: number): Map<string, HeardAt> {
    const batch = new Map<string, HeardAt>()
    while (batch.size < limit) {
      const [account, share] = this.#shares.entries().next().value ?? []
      if (account === undefined || !share) break
      const [address, heard] = share.entries().next().value!
      share.delete(address)
      this.#places.delete(address)
      this.#shares.delete(account)
      if (share.size > 0) this.#shares.set(account, share)
      batch.set(address, heard)
    }
    return batch
  }

  #sizeOf(account: string): number {
    return this.#shares.get(account)?.size ?? 0
  }

  /** What is free is shared among all who wait, and one more who may come. */
  #shareMax(): number {
    if (this.#places.size >= WAITING_MAX) return SHARE_MIN
    return Math.max(SHARE_MIN, Math.floor(WAITING_MAX / (this.#shares.size + 1)))
  }
}

/** Of two hints of the same block the fresher counts, so that what is announced again is looked for again. */
function note(waiting: HeardAt, announced: readonly Announced[]): void {
  const { hash } = announced[0]!
  const known = waiting.get(hash)
  if (!known && waiting.size >= HASHES_MAX) return
  const byDirection = Map.groupBy([...(known ?? []), ...announced], ({ direction }) => direction)
  const freshest = (same: Announced[]) => same.reduce((one, other) => (other.tries < one.tries ? other : one))
  waiting.set(hash, [...byDirection.values()].map(freshest))
}
