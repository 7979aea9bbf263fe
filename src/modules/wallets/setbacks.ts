import { type Failures, isOutage } from '../../kernel/failures.ts'
import type { Clock } from '../../kernel/ports.ts'

const REST_MIN = 10_000
const REST_MAX = 600_000
const REMEMBERED_MAX = 10_000

/**
 * Wallets whose last pass failed by an error of our own, such as an assertion. The operator is notified, and the jobs retry them with growing
 * pauses: trying at every round would change nothing and waste the machine. A caller that asks for a pass gets one all the same.
 */
export class Setbacks {
  readonly #clock: Clock
  readonly #failures: Failures
  readonly #known = new Map<string, { times: number; until: number }>()

  constructor({ clock, failures }: { clock: Clock; failures: Failures }) {
    this.#clock = clock
    this.#failures = failures
  }

  isBackedOff(walletId: string): boolean {
    return this.#clock.now() < (this.#known.get(walletId)?.until ?? 0)
  }

  /** Records how a pass ended and passes the result on. External failures are temporary, so they cause no pause. */
  async during<T>(walletId: string, pass: Promise<T>): Promise<T> {
    try {
      const ended = await pass
      this.#known.delete(walletId)
      return ended
    } catch (error) {
      this.#failures.failed('wallets.pass', { walletId })(error)
      if (!isOutage(error)) this.#note(walletId)
      throw error
    }
  }

  #note(walletId: string): void {
    const times = (this.#known.get(walletId)?.times ?? 0) + 1
    const rest = Math.min(REST_MAX, REST_MIN * 2 ** Math.min(times - 1, 10))
    this.#known.delete(walletId)
    this.#known.set(walletId, { times, until: this.#clock.now() + rest })
    if (this.#known.size > REMEMBERED_MAX) this.#known.delete(this.#known.keys().next().value!)
  }
}
