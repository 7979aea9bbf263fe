const KEPT_MAX = 100_000

/**
 * Counts writes to accounts and blocks, so that an answer can be recognised as older than a write. A stamp
 * over some keys changes whenever one of them was written, and never returns to an earlier value. Only keys of which a stamp was
 * taken are counted: most keys on a network were never asked about here.
 */
export class WriteEpochs {
  readonly #epochs = new Map<string, number>()
  #last = 0
  /** Part of every stamp; raised when keys are forgotten, so that forgetting counts as a write. */
  #floor = 0

  stamp(keys: readonly string[]): number {
    if (this.#epochs.size > KEPT_MAX) this.bumpAll()
    let sum = this.#floor
    for (const key of keys) {
      const epoch = this.#epochs.get(key)
      if (epoch === undefined) this.#epochs.set(key, 0)
      else sum += epoch
    }
    return sum
  }

  bump(keys: Iterable<string>): void {
    for (const key of keys) if (this.#epochs.has(key)) this.#epochs.set(key, ++this.#last)
  }

  /** Everything may have changed: used after a gap in the stream. */
  bumpAll(): void {
    this.#epochs.clear()
    // Larger than any sum of epochs over a request's keys, so that no old stamp comes back.
    this.#floor += (this.#last + 1) * 2_048
    this.#last = 0
  }
}
