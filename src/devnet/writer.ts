/** Jobs in one commit: a bound on how long the first of them waits for its answer. */
const BATCH_MAX = 64

interface Job {
  run: () => unknown
  /** Has a commit of its own and runs this right after it, before anybody else does anything. */
  settle?: () => void
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
  #lonely = 0
  #scheduled = false

  constructor(inTransaction: (run: () => void) => void) {
    this.#inTransaction = inTransaction
  }

  submit<T>(run: () => T): Promise<T> {
    return this.#submit({ run })
  }

  /** In a commit of its own: what it throws takes back this job and nobody else's. `settle` follows before any other job. */
  submitAlone<T>(run: () => T, settle: () => void): Promise<T> {
    this.#lonely++
    return this.#submit({ run, settle })
  }

  #submit<T>(job: Pick<Job, 'run' | 'settle'>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ ...job, resolve: resolve as (value: unknown) => void, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0) return
    this.#scheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    const batch = this.#queue.splice(0, this.#batchSize())
    this.#scheduled = false
    if (batch[0]?.settle) this.#lonely--
    const results: unknown[] = []
    try {
      this.#inTransaction(() => {
        for (const job of batch) results.push(job.run())
      })
      batch[0]?.settle?.()
      batch.forEach((job, index) => job.resolve(results[index]))
    } catch (error) {
      for (const job of batch) job.reject(error)
    }
    this.#schedule()
  }

  #batchSize(): number {
    if (this.#lonely === 0) return BATCH_MAX
    const first = this.#queue.findIndex(({ settle }) => settle !== undefined)
    return Math.min(first === 0 ? 1 : first, BATCH_MAX)
  }
}
