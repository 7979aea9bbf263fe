/** Jobs in one commit: a bound on how long the first of them waits for its answer. */
const BATCH_MAX = 256

interface Job {
  run: () => unknown
  /** Has a commit of its own and runs this right after it, before anybody else does anything. */
  settle?: () => void
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

export interface Disk {
  inTransaction(run: () => void): void
  /** When everything that was committed is on the disk; undefined where there is none. */
  sync(): Promise<void> | undefined
}

/**
 * Runs jobs one after another and commits several with one sync to disk. No caller hears of a result before it is durable; when
 * the commit fails, everybody in it hears of the failure. While the disk is at work the next jobs come together, and the
 * process does other things.
 */
export class BatchWriter {
  readonly #disk: Disk
  #queue: Job[] = []
  #lonely = 0
  #busy = false
  #syncing: Promise<void> | undefined
  /** A disk that has failed once may have lost anything since: nothing is written any more. */
  #broken: unknown
  #closed = false

  constructor(disk: Disk) {
    this.#disk = disk
  }

  submit<T>(run: () => T): Promise<T> {
    return this.#submit({ run })
  }

  /** In a commit of its own: what it throws takes back this job and no other. `settle` follows before any other job. */
  submitAlone<T>(run: () => T, settle: () => void): Promise<T> {
    this.#lonely++
    return this.#submit({ run, settle })
  }

  /** What the sync under way makes durable; undefined when everything is. */
  get syncing(): Promise<void> | undefined {
    return this.#broken === undefined ? this.#syncing : Promise.reject(this.#broken)
  }

  /** Waits for what was submitted, and takes nothing more. */
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

  /** Where the disk is quick, a commit of its own for each job is what is dear: as long as a turn of the loop brings more of them, they are waited for. */
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
    const tell = () => this.#end(() => batch.forEach((job, index) => job.resolve(results[index])))
    if (!this.#syncing) tell()
    else
      this.#syncing.then(tell, (error: unknown) => {
        this.#broken = error
        this.#end(() => batch.forEach((job) => job.reject(error)))
      })
  }

  #end(tell: () => void): void {
    this.#busy = false
    this.#syncing = undefined
    tell()
    this.#schedule()
  }

  #batchSize(): number {
    if (this.#lonely === 0) return BATCH_MAX
    const first = this.#queue.findIndex(({ settle }) => settle !== undefined)
    return Math.min(first === 0 ? 1 : first, BATCH_MAX)
  }
}

/** For jobs that come after the end. */
export class LedgerClosed extends Error {
  constructor() {
    super('The ledger is closed.')
  }
}
