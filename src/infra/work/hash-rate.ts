/** Over how much searching an old measurement fades to a third. */
const MEMORY_MILLISECONDS = 10_000
/** Shorter spans mostly measure how threads wake up. */
const SPAN_MINIMUM_MILLISECONDS = 50

/** Hashes a second while a search runs. Between searches the last figure stands. */
export class HashRate {
  #perSecond: number
  #since: { now: number; hashes: number } | undefined

  constructor(guessPerSecond: number) {
    this.#perSecond = guessPerSecond
  }

  get perSecond(): number {
    return this.#perSecond
  }

  /** A search begins; `hashes` is the count of all hashes so far. */
  start(now: number, hashes: number): void {
    this.#since = { now, hashes }
  }

  /** Takes what was done since the start or the last look into account. */
  look(now: number, hashes: number): void {
    if (!this.#since || now - this.#since.now < SPAN_MINIMUM_MILLISECONDS) return
    const milliseconds = now - this.#since.now
    const measured = ((hashes - this.#since.hashes) / milliseconds) * 1000
    this.#perSecond += (measured - this.#perSecond) * (1 - Math.exp(-milliseconds / MEMORY_MILLISECONDS))
    this.#since = { now, hashes }
  }

  /** The search has ended. */
  stop(now: number, hashes: number): void {
    this.look(now, hashes)
    this.#since = undefined
  }
}
