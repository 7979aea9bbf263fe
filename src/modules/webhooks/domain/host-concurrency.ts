/** Parallel deliveries of one process to URLs of checkouts, and the same number again to endpoints. */
export const PLACES = 128
/** Parallel requests of one account, or of all callers without a key, to one host. */
const AT_ONCE_MAX = 4
/** The same of all accounts together, for the sake of a host that many of them name. */
const HOST_AT_ONCE_MAX = 16
/** Parallel deliveries for all checkouts made without a key: a quarter of all places. */
const ANONYMOUS_AT_ONCE_MAX = 32
/** Parallel deliveries of one account, which must not take all places by using many hosts or many names of one. */
const ACCOUNT_AT_ONCE_MAX = 32
/** The spacing between postponed deliveries; otherwise a slow host's whole queue would retry every second. */
const COME_BACK_APART = 250
const COME_BACK_AFTER = 1_000

interface Host {
  active: number
  /** When the last postponed delivery is due. */
  lastBackAt: number
}

interface Delivered {
  now: number
  accountId: string | null
  /** Endpoints have separate places. */
  isEndpoint?: boolean
}

type Place = { leave(): void } | { comeBackAt: number }

/**
 * Limits parallel requests to any one host, for its sake and ours: those of each owner, because a shop must not wait for what strangers
 * send to a slow page of its own host. A delivery without a free place is postponed instead of waiting, because
 * waiting would occupy a place for another host.
 */
export class HostConcurrency {
  readonly #hosts = new Map<string, Host>()

  /**
   * Takes a place for a request to a host and one of its account. Anonymous callers share few places: otherwise someone without a key could
   * name a slow host of their own in each checkout and hold up everybody's events.
   */
  enter(host: string, { now, accountId, isEndpoint = false }: Delivered): Place {
    const whose = accountId === null ? '' : `account:${accountId}`
    const kind = isEndpoint ? 'endpoints' : 'checkouts'
    const most = accountId === null ? ANONYMOUS_AT_ONCE_MAX : ACCOUNT_AT_ONCE_MAX
    return this.#takeAll(now, [
      [whose, most],
      // An account may take at most half of the places that are free now. So some stay free however many accounts have slow hosts, and an account
      // that has no place yet gets one.
      [`${kind}:${whose}`, Math.max(1, Math.floor((PLACES - this.#countActive(`all:${kind}`)) / 2))],
      [`all:${kind}`, Infinity],
      [`${whose}@${host}`, AT_ONCE_MAX],
      [host, HOST_AT_ONCE_MAX],
    ])
  }

  #countActive(name: string): number {
    return this.#hosts.get(name)?.active ?? 0
  }

  /** Takes one place of each kind, or none. */
  #takeAll(now: number, wanted: readonly (readonly [name: string, atOnceMax: number])[]): Place {
    const taken: { leave(): void }[] = []
    const leave = () => taken.forEach((place) => place.leave())
    for (const [name, atOnceMax] of wanted) {
      const place = this.#take(name, now, atOnceMax)
      if ('comeBackAt' in place) {
        leave()
        return place
      }
      taken.push(place)
    }
    return { leave }
  }

  #take(name: string, now: number, atOnceMax: number): Place {
    const host = this.#hosts.get(name) ?? { active: 0, lastBackAt: 0 }
    this.#hosts.set(name, host)
    if (host.active >= atOnceMax) {
      host.lastBackAt = Math.max(now + COME_BACK_AFTER, host.lastBackAt + COME_BACK_APART)
      return { comeBackAt: host.lastBackAt }
    }
    host.active++
    return {
      leave: () => {
        if (--host.active === 0) this.#hosts.delete(name)
      },
    }
  }
}
