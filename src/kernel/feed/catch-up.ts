import type { Clock } from '../ports.ts'

const PAUSE_MIN = 1_000
const PAUSE_MAX = 8_000

interface CatchUpOptions {
  clock: Clock
  /** Schedules early checks for addresses that were last checked before `at`, one page of them; returns where the next page begins. */
  hasten(at: number, after: string): Promise<string | undefined>
  failed(error: unknown): void
}

/**
 * After a silence of the nodes, retries until every watched address is scheduled for an early check: otherwise a missed block would wait
 * for the turn of its address. However many silences there are while the store is unavailable, one series of retries serves all.
 */
export class CatchUp {
  readonly #options: CatchUpOptions
  /** Number of silences; the latest must be caught up with. */
  #gaps = 0
  #isBehind = false
  #attempt: Promise<void> = Promise.resolve()
  #cancelNext: (() => void) | undefined
  #stopped = false

  constructor(options: CatchUpOptions) {
    this.#options = options
  }

  /**
   * Resolves after the first attempt, even if that failed. While gateways start beside others at work, PostgreSQL may abort one of two
   * statements in a deadlock; that must not end the start.
   */
  afterGap(): Promise<void> {
    this.#gaps++
    if (!this.#isBehind && !this.#stopped) {
      this.#isBehind = true
      this.#attempt = this.#try(PAUSE_MIN)
    }
    return this.#attempt
  }

  /** Resolves when no attempt is in progress. */
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

  /** Page by page: one statement over a million addresses would block every payment behind it. */
  async #hastenAll(): Promise<void> {
    const { clock, hasten } = this.#options
    const at = clock.now()
    for (let after: string | undefined = ''; after !== undefined && !this.#stopped;) after = await hasten(at, after)
  }
}
