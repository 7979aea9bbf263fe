const KEPT_MAX = 100_000

/**
 * Counts what happened to accounts and blocks, so that an answer can tell whether it is older than a write. A stamp
 * over some keys changes whenever one of them was written, and never returns to an earlier value.
 */
export class WriteEpochs {
  readonly #epochs = new Map<string, number>()
  #last = 0
  /** What an unlisted key counts as; raised when keys are forgotten, so that forgetting looks like writing. */
  #floor = 0

  stamp(keys: readonly string[]): number {
    let sum = this.#floor
    for (const key of keys) sum += this.#epochs.get(key) ?? 0
    return sum
  }

  bump(keys: Iterable<string>): void {
    for (const key of keys) this.#epochs.set(key, ++this.#last)
    if (this.#epochs.size > KEPT_MAX) this.bumpAll()
  }

  /** Everything may have changed: after a gap in what we hear. */
  bumpAll(): void {
    this.#epochs.clear()
    // Larger than any sum of epochs over a request's keys, so that no old stamp comes back.
    this.#floor += (this.#last + 1) * 2_048
    this.#last = 0
  }
}
