import { AppError } from '../../kernel/errors.ts'
import type { Clock } from '../../kernel/ports.ts'
import { BadStatus } from '../market/fetch-json.ts'
import { withTimeLimit } from '../market/time-limit.ts'

const TIMEOUT = 8_000
const FAILURES_MAX = 3
const REST = 30_000

/** A service that fails again and again rests for a while, so that no caller waits for what will not come. */
export class Circuit {
  readonly #clock: Clock
  #failures = 0
  #restsUntil = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async run<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#clock.now() < this.#restsUntil) throw new Error('it rests after failures')
    try {
      const answer = await withTimeLimit(this.#clock, TIMEOUT, ask)
      this.#failures = 0
      return answer
    } catch (error) {
      // Who asks for nonsense is refused, and must not take the service from everybody else.
      if (isRefusal(error) || error instanceof AppError) this.#failures = 0
      else if (++this.#failures >= FAILURES_MAX) this.#restsUntil = this.#clock.now() + REST
      throw error
    }
  }
}

/** The service is well and does not want this. */
export function isRefusal(error: unknown): boolean {
  return error instanceof BadStatus && error.status >= 400 && error.status < 500 && error.status !== 429
}
