import { AppError } from '../../kernel/errors.ts'
import type { Leaving } from '../../kernel/leaving.ts'
import type { Clock } from '../../kernel/ports.ts'

/** Searches at once: each takes a thread for up to half a minute. */
const RUNNING_MAX = 2
const WAITING_MAX = 100

interface Waiting {
  payer: string
  begin(): void
}

/**
 * Whose search is next. An account has one search at a time and the others of it wait, so that one account never holds
 * every place; of those who wait, the first whose account has none running begins.
 */
export class VanityTurns {
  readonly #clock: Clock
  readonly #running = new Set<string>()
  #waiting: Waiting[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Runs a search when it is its turn, or refuses when that takes too long; undefined when its caller has left. */
  async take<T>(
    { payer, waitMilliseconds, leaving }: { payer: string; waitMilliseconds: number; leaving: Leaving },
    search: () => Promise<T>,
  ): Promise<T | undefined> {
    if (!(await this.#turn(payer, waitMilliseconds, leaving))) return undefined
    try {
      return await search()
    } finally {
      this.#running.delete(payer)
      this.#next()
    }
  }

  /** False when the caller has left meanwhile. */
  #turn(payer: string, waitMilliseconds: number, leaving: Leaving): Promise<boolean> {
    const busy = () =>
      new AppError('overloaded', 'Too many vanity searches are running.', {
        retryAfterSeconds: waitMilliseconds / 1_000,
      })
    if (this.#waiting.length >= WAITING_MAX) return Promise.reject(busy())
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const waiting: Waiting = { payer, begin: () => resolve(true) }
    const giveUp = () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
    }
    const cancelTimer = this.#clock.after(waitMilliseconds, () => {
      giveUp()
      reject(busy())
    })
    const stay = leaving.onLeave(() => {
      giveUp()
      resolve(false)
    })
    this.#waiting.push(waiting)
    this.#next()
    return promise.finally(() => {
      cancelTimer()
      stay()
    })
  }

  #next(): void {
    while (this.#running.size < RUNNING_MAX) {
      const next = this.#waiting.find(({ payer }) => !this.#running.has(payer))
      if (!next) return
      this.#waiting = this.#waiting.filter((other) => other !== next)
      this.#running.add(next.payer)
      next.begin()
    }
  }
}
