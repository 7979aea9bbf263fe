import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { isHex } from '../../kernel/nano/hex.ts'
import { formatWork } from '../../kernel/nano/work.ts'
import type { Random } from '../../kernel/ports.ts'
import { whenOver } from '../../kernel/when-over.ts'
import type { CpuWorkerData, CpuWorkerMessage } from './cpu-worker.ts'
import { JobMemory } from './job-memory.ts'
import type { TuningMemory } from './remembered-tuning.ts'
import { type Searcher, openSearcher, rootWords } from './searcher.ts'
import { SHAPES, type Shape } from './shapes.ts'
import type { Target, WorkSource } from './source.ts'
import { type Tuned, recallTuned } from './tune.ts'

/** How long a thread searches before it checks whether to continue. */
const CHUNK_SECONDS = 0.003
/** Most tries in the calling thread; they take some milliseconds. */
const HERE_MAX = 65_536
/** A processor that computes wrongly is useless, but a single wrong result is tolerated. */
const WRONG_ANSWERS_MAX = 3

export interface CpuOptions {
  threads: number
  random: Random
  /** Variants of the search to choose from. */
  shapes?: readonly Shape[]
  /** The fastest variant that an earlier start has found. */
  memory?: TuningMemory | undefined
  /** Whether another engine currently makes better use of the same processor. */
  isReplaced?: () => boolean
  /** Called when a thread ended and could not be started again: this machine then no longer searches. */
  onLost?: (error: unknown) => void
}

interface Running {
  generation: number
  resolve: (work: string | undefined) => void
  reject: (error: Error) => void
  /** Removes the listener for the caller's leaving. */
  release: () => void
}

function startThread(name: 'cpu-worker' | 'tune-worker', workerData: unknown): Worker {
  // The worker is the file beside this one, either compiled or source.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new Worker(new URL(`./${name}.${extension}`, import.meta.url), {
    workerData,
    // Its objects are short-lived, so a larger young generation would only occupy memory.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  })
}

/** Finds the fastest variant of the search on this machine, in a separate thread. */
async function tuneInThread(shapes: readonly Shape[]): Promise<Tuned> {
  const thread = startThread('tune-worker', shapes)
  const ended = once(thread, 'exit').then(() => Promise.reject(new Error('The thread that tunes the search ended.')))
  // When the thread ends after its answer, nothing needs to be done.
  void whenOver(ended)
  const [tuned] = (await Promise.race([once(thread, 'message'), ended])) as [Tuned]
  return tuned
}

/**
 * Resolves when this machine can search. Results of an earlier start's measurements are reused. Then the threads start
 * with the first search only, because many gateways never search themselves.
 */
export async function openCpuEngine({ shapes = SHAPES, memory, ...options }: CpuOptions): Promise<CpuEngine> {
  const { threads } = options
  assert(Number.isInteger(threads) && threads > 0, 'threads is a positive whole number')
  const known = recallTuned(shapes, memory?.recall())
  if (known) return new CpuEngine(options, known)
  const tuned = await tuneInThread(shapes)
  const engine = new CpuEngine(options, tuned)
  try {
    await engine.startThreads()
  } catch (error) {
    await engine.close()
    throw error
  }
  memory?.keep(tuned)
  return engine
}

/** The threads of this machine as one engine; `openCpuEngine` creates it. */
export class CpuEngine implements WorkSource {
  readonly name = 'cpu'
  readonly kind = 'cpu'
  readonly slots = 1
  readonly spare = true
  /** The selected variant of the search, and the speed of each on all threads. */
  readonly shape: string
  readonly shapes: readonly { shape: string; rate: number }[]
  readonly #random: Random
  readonly #onLost: (error: unknown) => void
  readonly #isReplaced: () => boolean
  readonly #tuned: Tuned
  readonly #memory: JobMemory
  readonly #count: number
  readonly #threads: Worker[] = []
  readonly #rate: HashRate
  #started: Promise<unknown> | undefined
  /** How many threads ended and were not replaced yet. */
  #missing = 0
  #wrongAnswers = 0
  #closed = false
  #running: Running | undefined
  #here: Searcher | undefined

  constructor(
    {
      threads,
      random,
      isReplaced = () => false,
      onLost = (error) => process.emitWarning(String(error)),
    }: Omit<CpuOptions, 'shapes' | 'memory'>,
    tuned: Tuned,
  ) {
    this.#random = random
    this.#onLost = onLost
    this.#isReplaced = isReplaced
    this.#tuned = tuned
    this.shape = tuned.shape
    this.shapes = tuned.shapes.map(({ shape, rate }) => ({ shape, rate: rate * threads }))
    this.#count = threads
    this.#memory = new JobMemory(threads)
    this.#rate = new HashRate(tuned.rate * threads)
  }

  /** Resolves when every thread can search. A thread joins a search that began before it was ready. */
  startThreads(): Promise<unknown> {
    return (this.#started ??= Promise.all(
      Array.from({ length: this.#count }, (_, thread) => this.#startThread(thread)),
    ))
  }

  get usable(): boolean {
    return this.#missing === 0 && !this.#closed && this.#wrongAnswers < WRONG_ANSWERS_MAX && !this.#isReplaced()
  }

  get rate(): number {
    this.#rate.look(performance.now(), this.hashes)
    return this.#rate.perSecond
  }

  /** Nonces tried so far. */
  get hashes(): number {
    return this.#memory.hashes
  }

  async search({ root, threshold }: Target, stop: AbortSignal): Promise<string | undefined> {
    assert(!this.#running, 'a search is running already')
    assert(isHex(root, 64), 'a root has 64 hexadecimal digits')
    // A larger threshold would be truncated to 64 bits, so that any nonce might reach it.
    assert(threshold >= 0n && threshold < 2n ** 64n, 'a threshold has 64 bits')
    if (stop.aborted) return undefined
    if (!this.usable) throw new Error('The threads that search for work are not available.')
    const starts = Buffer.from(this.#random.bytes(8 * this.#count))
    if (!this.#started) this.startThreads().catch((error: unknown) => this.#closed || this.#onLost(error))
    return new Promise((resolve, reject) => {
      const onAbort = () => this.#finish()?.resolve(undefined)
      stop.addEventListener('abort', onAbort, { once: true })
      const release = () => stop.removeEventListener('abort', onAbort)
      // The threads keep the process running only while a caller waits.
      for (const thread of this.#threads) thread.ref()
      this.#rate.start(performance.now(), this.hashes)
      const ofThreads = Array.from({ length: this.#count }, (_, thread) => starts.readBigUInt64LE(8 * thread))
      const generation = this.#memory.begin(rootWords(root), threshold, ofThreads)
      this.#running = { generation, resolve, reject, release }
    })
  }

  /** Searches in the calling thread for work that takes few tries; undefined if the tries were not enough. */
  searchHere({ root, threshold }: Target): string | undefined {
    assert(isHex(root, 64), 'a root has 64 hexadecimal digits')
    const { module, lanes } = this.#tuned
    this.#here ??= openSearcher(module)
    this.#here.setRoot(rootWords(root))
    const start = Buffer.from(this.#random.bytes(8)).readBigUInt64LE()
    const nonce = this.#here.search(start, HERE_MAX - (HERE_MAX % lanes), threshold)
    return nonce === undefined ? undefined : formatWork(nonce)
  }

  distrust(): void {
    this.#wrongAnswers++
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#finish()?.resolve(undefined)
    await Promise.all(this.#threads.map((thread) => thread.terminate()))
  }

  /** Ends the current search, if any; the caller settles it. */
  #finish(): Running | undefined {
    const running = this.#running
    if (!running) return undefined
    this.#running = undefined
    this.#memory.end(running.generation)
    running.release()
    this.#rate.stop(performance.now(), this.hashes)
    for (const thread of this.#threads) thread.unref()
    return running
  }

  /** Resolves when the thread can search; rejects if it ends before that. */
  #startThread(thread: number, isBack = false): Promise<void> {
    const { module, rate, lanes } = this.#tuned
    const chunk = Math.max(1, Math.round((rate * CHUNK_SECONDS) / lanes)) * lanes
    const data: CpuWorkerData = { buffer: this.#memory.buffer, threads: this.#count, thread, module, chunk }
    const worker = startThread('cpu-worker', data)
    this.#threads[thread] = worker
    let isReady = false
    return new Promise((resolve, reject) => {
      worker.on('message', (message: CpuWorkerMessage) => {
        if (message !== 'ready') {
          this.#receive(message)
          return
        }
        isReady = true
        if (isBack) this.#missing--
        if (!this.#running) worker.unref()
        resolve()
      })
      let failure = new Error('A thread that searches for work ended.')
      worker.on('error', (error: Error) => (failure = error))
      worker.on('exit', () => {
        reject(failure)
        if (this.#closed) return
        if (isReady || !isBack) this.#missing++
        this.#finish()?.reject(failure)
        // A thread that never became ready would fail again.
        if (isReady) this.#startThread(thread, true).catch(this.#onLost)
      })
    })
  }

  #receive({ generation, nonce }: Exclude<CpuWorkerMessage, 'ready'>): void {
    // The result came just after the search was stopped, so it must not answer the next search.
    if (this.#running?.generation !== generation) return
    this.#finish()?.resolve(formatWork(nonce))
  }
}

/** After this much search time, an old measurement counts for a third. */
const MEMORY_MILLISECONDS = 10_000
/** Shorter spans measure mostly how long threads take to wake up. */
const SPAN_MINIMUM_MILLISECONDS = 50

/** Hashes per second during searches. Between searches the last value is kept. */
export class HashRate {
  #perSecond: number
  #since: { now: number; hashes: number } | undefined

  constructor(guessPerSecond: number) {
    this.#perSecond = guessPerSecond
  }

  get perSecond(): number {
    return this.#perSecond
  }

  /** Call it when a search begins; `hashes` is the total number of hashes so far. */
  start(now: number, hashes: number): void {
    this.#since = { now, hashes }
  }

  /** Adds what was done since the start or the last call. */
  look(now: number, hashes: number): void {
    if (!this.#since || now - this.#since.now < SPAN_MINIMUM_MILLISECONDS) return
    const milliseconds = now - this.#since.now
    const measured = ((hashes - this.#since.hashes) / milliseconds) * 1000
    this.#perSecond += (measured - this.#perSecond) * (1 - Math.exp(-milliseconds / MEMORY_MILLISECONDS))
    this.#since = { now, hashes }
  }

  /** The search has ended. */
  stop(now: number, hashes: number): void {
    this.look(now, hashes)
    this.#since = undefined
  }
}
