/** Most jobs in one commit, so that the first of them does not wait long. */
const BATCH_MAX = 256

interface Job {
  run: () => unknown
  /** The job gets a commit of its own, and this function runs right after that commit. */
  settle?: () => void
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

export interface Disk {
  inTransaction(run: () => void): void
  /** Resolves when everything that was committed is on the disk; undefined for a ledger in memory. */
  sync(): Promise<void> | undefined
}

/**
 * Runs jobs one after another, and commits several at once with one sync. A caller gets its result only when it is
 * durable; if a commit fails, every caller in it gets the error. While the disk syncs, the next jobs are collected and
 * the event loop continues.
 */
export class BatchWriter {
  readonly #disk: Disk
  #queue: Job[] = []
  #lonely = 0
  #busy = false
  #syncing: Promise<void> | undefined
  /** The error of a failed sync. After it, data may be missing on the disk, so nothing more is written. */
  #broken: unknown
  #closed = false

  constructor(disk: Disk) {
    this.#disk = disk
  }

  submit<T>(run: () => T): Promise<T> {
    return this.#submit({ run })
  }

  /** Runs a job in a commit of its own, which an exception rolls back. `settle` runs before any other job. */
  submitAlone<T>(run: () => T, settle: () => void): Promise<T> {
    this.#lonely++
    return this.#submit({ run, settle })
  }

  /** Resolves when everything committed is durable; undefined if it is already. */
  get syncing(): Promise<void> | undefined {
    return this.#broken === undefined ? this.#syncing : Promise.reject(this.#broken)
  }

  /** Waits for the submitted jobs, and refuses new ones. */
  async close(): Promise<void> {
    const last = this.submit(() => undefined)
    this.#closed = true
    await last
  }

  #submit<T>(job: Pick<Job, 'run' | 'settle'>): Promise<T> {
    if (this.#closed) return Promise.reject(new LedgerClosed())
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ ...job, resolve: resolve as (value: unknown) => void, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#busy || this.#queue.length === 0) return
    this.#busy = true
    this.#gather(0)
  }

  /**
   * With a fast disk, one commit per job would be the largest cost. While each turn of the event loop brings more jobs,
   * wait for them.
   */
  #gather(before: number): void {
    const { length } = this.#queue
    if (length === before || length >= BATCH_MAX) this.#flush()
    else setImmediate(() => this.#gather(length))
  }

  #flush(): void {
    const batch = this.#queue.splice(0, this.#batchSize())
    if (batch[0]?.settle) this.#lonely--
    const results: unknown[] = []
    try {
      if (this.#broken !== undefined) throw this.#broken
      this.#disk.inTransaction(() => {
        for (const job of batch) results.push(job.run())
      })
      batch[0]?.settle?.()
      this.#syncing = this.#disk.sync()
    } catch (error) {
      this.#end(() => batch.forEach((job) => job.reject(error)))
      return
    }
    const settleAll = () => this.#end(() => batch.forEach((job, index) => job.resolve(results[index])))
    if (!this.#syncing) settleAll()
    else
      this.#syncing.then(settleAll, (error: unknown) => {
        this.#broken = error
        this.#end(() => batch.forEach((job) => job.reject(error)))
      })
  }

  #end(settleAll: () => void): void {
    this.#busy = false
    this.#syncing = undefined
    settleAll()
    this.#schedule()
  }

  #batchSize(): number {
    if (this.#lonely === 0) return BATCH_MAX
    const first = this.#queue.findIndex(({ settle }) => settle !== undefined)
    return Math.min(first === 0 ? 1 : first, BATCH_MAX)
  }
}

/** Thrown for jobs submitted after the close. */
export class LedgerClosed extends Error {
  constructor() {
    super('The ledger is closed.')
  }
}
