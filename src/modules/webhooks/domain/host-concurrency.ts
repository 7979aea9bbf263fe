/** Deliveries at once in one process, to checkouts' addresses and again as many to endpoints. */
export const PLACES = 128
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

interface Delivered {
  now: number
  accountId: string | null
  /** Endpoints have places of their own. */
  isEndpoint?: boolean
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
  enter(host: string, { now, accountId, isEndpoint = false }: Delivered): Place {
    const whose = accountId === null ? '' : `account:${accountId}`
    const kind = isEndpoint ? 'endpoints' : 'checkouts'
    const most = accountId === null ? STRANGERS_AT_ONCE_MAX : ACCOUNT_AT_ONCE_MAX
    return this.#takeAll(now, [
      [whose, most],
      // Half of what is free, so that some is free however many accounts have slow hosts: whoever has none gets one.
      [`${kind}:${whose}`, Math.max(1, Math.floor((PLACES - this.#countActive(`all:${kind}`)) / 2))],
      [`all:${kind}`, Infinity],
      [host, AT_ONCE_MAX],
    ])
  }

  #countActive(name: string): number {
    return this.#hosts.get(name)?.active ?? 0
  }

  /** One place of each, or none. */
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
