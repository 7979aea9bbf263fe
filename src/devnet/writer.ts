/** Jobs in one commit: a bound on how long the first of them waits for its answer. */
const BATCH_MAX = 64

interface Job {
  run: () => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/**
 * Runs jobs one after another and commits several with one sync to disk. Nobody hears of a result before it is
 * durable; when the commit fails, everybody in it hears of the failure.
 */
export class BatchWriter {
  readonly #inTransaction: (run: () => void) => void
  #queue: Job[] = []
  #scheduled = false

  constructor(inTransaction: (run: () => void) => void) {
    this.#inTransaction = inTransaction
  }

  submit<T>(run: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run, resolve: resolve as (value: unknown) => void, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0) return
    this.#scheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    const batch = this.#queue.splice(0, BATCH_MAX)
    this.#scheduled = false
    const results: unknown[] = []
    try {
      this.#inTransaction(() => {
        for (const job of batch) results.push(job.run())
      })
      batch.forEach((job, index) => job.resolve(results[index]))
    } catch (error) {
      for (const job of batch) job.reject(error)
    }
    this.#schedule()
  }
}
