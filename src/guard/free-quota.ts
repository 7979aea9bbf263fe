import type { Clock } from '../kernel/ports.ts'

const KEYS_MAX = 50_000

/** What a caller may have for nothing: so many in any stretch of so long. */
export class FreeQuota {
  readonly #clock: Clock
  readonly #max: number
  readonly #windowMilliseconds: number
  readonly #taken = new Map<string, number[]>()

  constructor(clock: Clock, { max, windowMilliseconds }: { max: number; windowMilliseconds: number }) {
    this.#clock = clock
    this.#max = max
    this.#windowMilliseconds = windowMilliseconds
  }

  /** Takes one; when there is none left, says in how many seconds there will be. */
  take(key: string): { taken: true } | { taken: false; retryAfterSeconds: number } {
    const now = this.#clock.now()
    const recent = (this.#taken.get(key) ?? []).filter((at) => at > now - this.#windowMilliseconds)
    if (recent.length >= this.#max) {
      const free = (recent[recent.length - this.#max] ?? now) + this.#windowMilliseconds
      return { taken: false, retryAfterSeconds: Math.max(1, Math.ceil((free - now) / 1000)) }
    }
    recent.push(now)
    // Set anew, so that the callers forgotten first are those not seen for longest.
    this.#taken.delete(key)
    this.#taken.set(key, recent)
    if (this.#taken.size > KEYS_MAX) this.#taken.delete(this.#taken.keys().next().value!)
    return { taken: true }
  }

  /** Gives one back: a call that failed is not counted. */
  giveBack(key: string): void {
    this.#taken.get(key)?.pop()
  }
}
