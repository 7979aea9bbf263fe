import type { Clock } from '../ports.ts'

const PAUSE_MIN = 1_000
const PAUSE_MAX = 8_000

interface CatchUpOptions {
  clock: Clock
  /**
   * Schedules early checks for one page of addresses that were last checked before `at`; returns where the next page
   * begins.
   */
  hasten(at: number, after: string): Promise<string | undefined>
  failed(error: unknown): void
}

/**
 * After a gap in the confirmations, tries until every watched address has an early check scheduled. Otherwise a missed
 * payment would wait for the regular check of its address. Several gaps share one series of tries.
 */
export class CatchUp {
  readonly #options: CatchUpOptions
  /** Number of gaps so far; the latest one must be caught up with. */
  #gaps = 0
  #isBehind = false
  #attempt: Promise<void> = Promise.resolve()
  #cancelNext: (() => void) | undefined
  #stopped = false

  constructor(options: CatchUpOptions) {
    this.#options = options
  }

  /**
   * Resolves after the first try, even if it failed. When gateways start beside others, PostgreSQL may abort one of two
   * statements in a deadlock, which must not end the start.
   */
  afterGap(): Promise<void> {
    this.#gaps++
    if (!this.#isBehind && !this.#stopped) {
      this.#isBehind = true
      this.#attempt = this.#try(PAUSE_MIN)
    }
    return this.#attempt
  }

  /** Resolves when no try is running. */
  idle(): Promise<void> {
    return this.#attempt
  }

  stop(): Promise<void> {
    this.#stopped = true
    this.#cancelNext?.()
    return this.#attempt
  }

  async #try(pause: number): Promise<void> {
    const { clock, failed } = this.#options
    try {
      for (let caught = -1; caught !== this.#gaps;) {
        caught = this.#gaps
        await this.#hastenAll()
      }
      this.#isBehind = false
    } catch (error) {
      failed(error)
      if (this.#stopped) return
      this.#cancelNext = clock.after(pause, () => {
        this.#attempt = this.#try(Math.min(2 * pause, PAUSE_MAX))
      })
    }
  }

  /** Page by page, because one statement over a million addresses would block every payment behind it. */
  async #hastenAll(): Promise<void> {
    const { clock, hasten } = this.#options
    const at = clock.now()
    for (let after: string | undefined = ''; after !== undefined && !this.#stopped;) after = await hasten(at, after)
  }
}
