const KEPT_MAX = 100_000

/**
 * Counts writes to accounts and blocks, so that an answer can be recognised as older than a write. The stamp of some
 * keys changes whenever one of them was written, and never returns to an earlier value. Only keys of which somebody
 * took a stamp are counted, because most keys of a network are never asked about.
 */
export class WriteEpochs {
  readonly #epochs = new Map<string, number>()
  #last = 0
  /** Part of every stamp. It is raised when keys are dropped, so that dropping counts as a write. */
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

  /** Treats everything as changed, after a gap in the stream. */
  bumpAll(): void {
    this.#epochs.clear()
    // More than the sum of the epochs of any request's keys, so no earlier stamp can come back.
    this.#floor += (this.#last + 1) * 2_048
    this.#last = 0
  }
}
