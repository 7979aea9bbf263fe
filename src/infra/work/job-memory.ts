const ROOT_WORDS = 4

/** What a thread needs to begin with a job. */
interface Job {
  generation: number
  /** The four words of the root. */
  root: bigint[]
  threshold: bigint
  /** The nonce with which this thread begins. */
  start: bigint
}

/**
 * The memory that the main thread and the searching threads share. One number, the generation, controls it: even while
 * there is a job, odd while there is none. Only the main thread changes it from odd to even, after writing the job.
 * Whichever thread ends a job, by finding a nonce or by stopping it, changes it from that even number to the next odd
 * one, and only the first attempt succeeds. So every job ends once, an earlier job cannot end a later one, and all
 * threads see the end at their next check, without waiting for the event loop.
 */
export class JobMemory {
  readonly buffer: SharedArrayBuffer
  readonly #generation: Int32Array
  readonly #root: BigUint64Array
  readonly #threshold: BigUint64Array
  readonly #starts: BigUint64Array
  readonly #hashes: BigUint64Array

  constructor(threads: number, buffer = JobMemory.#allocate(threads)) {
    this.buffer = buffer
    this.#generation = new Int32Array(buffer, 0, 1)
    this.#root = new BigUint64Array(buffer, 8, ROOT_WORDS)
    this.#threshold = new BigUint64Array(buffer, 8 * (1 + ROOT_WORDS), 1)
    this.#starts = new BigUint64Array(buffer, 8 * (2 + ROOT_WORDS), threads)
    this.#hashes = new BigUint64Array(buffer, 8 * (2 + ROOT_WORDS + threads), threads)
  }

  static #allocate(threads: number): SharedArrayBuffer {
    const buffer = new SharedArrayBuffer(8 * (2 + ROOT_WORDS + 2 * threads))
    new Int32Array(buffer, 0, 1)[0] = 1
    return buffer
  }

  /** Main thread: begins a job after the previous one has ended; returns its generation. */
  begin(root: readonly bigint[], threshold: bigint, starts: readonly bigint[]): number {
    root.forEach((word, index) => Atomics.store(this.#root, index, word))
    Atomics.store(this.#threshold, 0, threshold)
    starts.forEach((start, thread) => Atomics.store(this.#starts, thread, start))
    const generation = (Atomics.add(this.#generation, 0, 1) + 1) | 0
    Atomics.notify(this.#generation, 0)
    return generation
  }

  /** Ends a job; true if this call did it. */
  end(generation: number): boolean {
    return Atomics.compareExchange(this.#generation, 0, generation, (generation + 1) | 0) === generation
  }

  isRunning(generation: number): boolean {
    return Atomics.load(this.#generation, 0) === generation
  }

  /** Searching thread: sleeps until there is a job. */
  waitForJob(thread: number): Job {
    for (;;) {
      const generation = Atomics.load(this.#generation, 0)
      if (generation % 2 !== 0) {
        Atomics.wait(this.#generation, 0, generation)
        continue
      }
      const root = Array.from(this.#root, (_, index) => Atomics.load(this.#root, index))
      const threshold = Atomics.load(this.#threshold, 0)
      const start = Atomics.load(this.#starts, thread)
      // If the job has ended meanwhile, the values may belong to two different jobs.
      if (this.isRunning(generation)) return { generation, root, threshold, start }
    }
  }

  /** Searching thread: adds to the number of its tries. */
  count(thread: number, hashes: number): void {
    Atomics.add(this.#hashes, thread, BigInt(hashes))
  }

  /** Nonces tried so far by all threads. */
  get hashes(): number {
    let total = 0
    for (let thread = 0; thread < this.#hashes.length; thread++) total += Number(Atomics.load(this.#hashes, thread))
    return total
  }
}
