const AT_ONCE_MAX = 4
/** Of all deliveries for checkouts that were made without a key: a quarter of the places that there are. */
const STRANGERS_AT_ONCE_MAX = 32
/** Of all deliveries of one account: many hosts, or one by many names, must not take all the places there are. */
const ACCOUNT_AT_ONCE_MAX = 32
/** How far apart those come back that found no place; otherwise a slow host's whole queue would knock every second. */
const COME_BACK_APART = 250
const COME_BACK_AFTER = 1_000

interface Host {
  active: number
  /** When the last of those that were sent away comes back. */
  lastBackAt: number
}

type Place = { leave(): void } | { comeBackAt: number }

/**
 * Few requests at once to any one host, for its sake and ours. A delivery that finds no place is told when to come back instead
 * of waiting, because waiting would take the places of deliveries to other hosts.
 */
export class HostConcurrency {
  readonly #hosts = new Map<string, Host>()

  /**
   * A place for a request to a host, among the places of its account. Those for strangers have few places altogether: a stranger that
   * names a slow host of its own with each checkout would otherwise hold up everybody's events without having so much as a key.
   */
  enter(host: string, { now, accountId }: { now: number; accountId: string | null }): Place {
    const common =
      accountId === null
        ? this.#take('', now, STRANGERS_AT_ONCE_MAX)
        : this.#take(`account:${accountId}`, now, ACCOUNT_AT_ONCE_MAX)
    if ('comeBackAt' in common) return common
    const place = this.#take(host, now, AT_ONCE_MAX)
    if ('comeBackAt' in place) {
      common.leave()
      return place
    }
    return {
      leave: () => {
        place.leave()
        common.leave()
      },
    }
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
