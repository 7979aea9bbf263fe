const KEPT = 128
const REFRESH_EVERY = 16

/** The recent response times of a node, and their 95th percentile, which is updated every few answers. */
export class Latencies {
  readonly #samples: number[] = []
  #next = 0
  #p95: number | undefined

  add(milliseconds: number): void {
    this.#samples[this.#next++ % KEPT] = milliseconds
    if (this.#next % REFRESH_EVERY === 0) {
      const sorted = this.#samples.toSorted((a, b) => a - b)
      this.#p95 = sorted[Math.floor(sorted.length * 0.95)]
    }
  }

  /** Undefined until there are enough times. */
  get p95(): number | undefined {
    return this.#p95
  }
}
