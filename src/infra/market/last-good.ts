import type { Clock } from '../../kernel/ports.ts'
import { whenOver } from '../../kernel/when-over.ts'

const TIMEOUT = 5_000
/** The first pause after a failure; each further pause is longer. */
const REST = 5_000
const REST_MAX = 300_000

interface LastGoodOptions<T> {
  clock: Clock
  fetch(signal: AbortSignal): Promise<T>
  /** A value younger than this is returned without a fetch. */
  freshMilliseconds: number
  /** A value younger than this is returned, and refreshed in the background; an older one is never returned. */
  staleMilliseconds: number
  onFailure?(reason: string): void
  onSuccess?(): void
}

/**
 * Keeps the last good value of something that may fail. While there is a usable value no caller waits, and no caller
 * ever waits longer than the time-out. There is one fetch at a time, and none while the provider is backed off.
 */
export class LastGood<T> {
  readonly #options: LastGoodOptions<T>
  #last: { value: T; at: number } | undefined
  #fetching: Promise<void> | undefined
  #failures = 0
  #backsOffUntil = 0

  constructor(options: LastGoodOptions<T>) {
    this.#options = options
  }

  /** Undefined if there is no value that is recent enough. */
  async read(): Promise<{ value: T; at: number } | undefined> {
    const age = this.#age()
    if (age < this.#options.freshMilliseconds) return this.#last
    const refreshed = this.#refresh()
    if (age >= this.#options.staleMilliseconds) await refreshed
    return this.#age() < this.#options.staleMilliseconds ? this.#last : undefined
  }

  #age(): number {
    return this.#last ? this.#options.clock.now() - this.#last.at : Infinity
  }

  #refresh(): Promise<void> {
    if (this.#options.clock.now() < this.#backsOffUntil) return Promise.resolve()
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined))
    return this.#fetching
  }

  async #fetch(): Promise<void> {
    const { clock, fetch, onFailure, onSuccess } = this.#options
    try {
      const value = await withTimeLimit(clock, TIMEOUT, (signal) => fetch(signal))
      this.#last = { value, at: clock.now() }
      this.#failures = 0
      onSuccess?.()
    } catch (error) {
      this.#backsOffUntil = clock.now() + Math.min(REST * 2 ** this.#failures++, REST_MAX)
      onFailure?.(error instanceof Error ? error.message : String(error))
    }
  }
}

/** Runs something that may take for ever; the caller waits at most this long. */
export async function withTimeLimit<T>(
  clock: Clock,
  milliseconds: number,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController()
  const { promise: timedOut, reject } = Promise.withResolvers<never>()
  // Handles the rejection in case the other promise has settled first.
  void whenOver(timedOut)
  const cancelTimer = clock.after(milliseconds, () => {
    abort.abort()
    reject(new Error('no answer in time'))
  })
  try {
    return await Promise.race([run(abort.signal), timedOut])
  } finally {
    cancelTimer()
  }
}
