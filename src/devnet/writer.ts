/** Jobs in one commit: a bound on how long the first of them waits for its answer. */
const BATCH_MAX = 256

interface Job {
  run: () => unknown
  /** The job has a commit of its own, and this runs right after it, before any other job. */
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
 * Runs jobs one after another and commits several with one sync to disk. No caller gets a result before it is durable; when the commit
 * fails, every caller in it gets the error. While the disk is syncing, the next jobs are collected, and the process does other work.
 */
export class BatchWriter {
  readonly #disk: Disk
  #queue: Job[] = []
  #lonely = 0
  #busy = false
  #syncing: Promise<void> | undefined
  /** After a failed sync anything may be lost, so nothing is written any more. */
  #broken: unknown
  #closed = false

  constructor(disk: Disk) {
    this.#disk = disk
  }

  submit<T>(run: () => T): Promise<T> {
    return this.#submit({ run })
  }

  /** Runs in a commit of its own: an exception rolls back this job and no other. `settle` runs before any other job. */
  submitAlone<T>(run: () => T, settle: () => void): Promise<T> {
    this.#lonely++
    return this.#submit({ run, settle })
  }

  /** What the current sync makes durable; undefined when everything is. */
  get syncing(): Promise<void> | undefined {
    return this.#broken === undefined ? this.#syncing : Promise.reject(this.#broken)
  }

  /** Waits for submitted jobs, and accepts no more. */
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

  /** With a fast disk a commit for each job would be the main cost: as long as a turn of the event loop brings more jobs, they are awaited. */
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

/** The error of jobs that are submitted after the close. */
export class LedgerClosed extends Error {
  constructor() {
    super('The ledger is closed.')
  }
}
