const AT_ONCE_MAX = 4
/** How far apart those come back that found no place; otherwise a slow host's whole queue would knock every second. */
const COME_BACK_APART = 250
const COME_BACK_AFTER = 1_000

interface Host {
  active: number
  /** When the last of those that were sent away comes back. */
  lastBackAt: number
}

/**
 * Few requests at once to any one host, for its sake and ours. Whoever finds no place is told when to come back instead
 * of waiting, because waiting would take the places of deliveries to other hosts.
 */
export class HostSlots {
  readonly #hosts = new Map<string, Host>()

  enter(name: string, now: number): { leave(): void } | { comeBackAt: number } {
    const host = this.#hosts.get(name) ?? { active: 0, lastBackAt: 0 }
    this.#hosts.set(name, host)
    if (host.active >= AT_ONCE_MAX) {
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
