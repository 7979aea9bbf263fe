import type { Clock } from '../ports.ts'

const PAUSE_MIN = 1_000
const PAUSE_MAX = 8_000

interface CatchUpOptions {
  clock: Clock
  /** Has everything looked at soon that was last looked at before a moment, and answers where the next page begins. */
  hasten(at: number, after: string): Promise<string | undefined>
  failed(error: unknown): void
}

/**
 * What was missed during a silence is looked for until that is done: otherwise it would wait for the turn of its address. However
 * many silences come while a store is away, one line of attempts is for all of them.
 */
export class CatchUp {
  readonly #options: CatchUpOptions
  /** Counts silences, of which the last must be caught up with. */
  #gaps = 0
  #isBehind = false
  #attempt: Promise<void> = Promise.resolve()
  #cancelNext: (() => void) | undefined
  #stopped = false

  constructor(options: CatchUpOptions) {
    this.#options = options
  }

  /**
   * Resolves after the first attempt, also where that failed. Where gateways start beside others at work, PostgreSQL may end the one
   * of two statements that wait for each other: a start goes on.
   */
  afterGap(): Promise<void> {
    this.#gaps++
    if (!this.#isBehind && !this.#stopped) {
      this.#isBehind = true
      this.#attempt = this.#try(PAUSE_MIN)
    }
    return this.#attempt
  }

  /** Until no attempt is under way. */
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

  /** Page by page: one statement over a million addresses would hold up every payment behind it. */
  async #hastenAll(): Promise<void> {
    const { clock, hasten } = this.#options
    const at = clock.now()
    for (let after: string | undefined = ''; after !== undefined && !this.#stopped;) after = await hasten(at, after)
  }
}
