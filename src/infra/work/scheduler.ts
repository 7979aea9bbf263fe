import { Cancelled, noWork } from '../../kernel/errors.ts'
import { isSoonFound, workValue } from '../../kernel/nano/work.ts'
import { type Clock } from '../../kernel/ports.ts'
import { type FoundWork, type WorkClass, type WorkRequest } from '../../kernel/work-port.ts'
import { FairShares, type QueueLimits, secondsToComeBack } from './admission.ts'
import type { Target, WorkSource } from './source.ts'
import { Engines, expectedSeconds, takes } from './engines.ts'
import { PeerFailure } from './peer-answer.ts'
import { RecentWorks } from './recent-works.ts'
import { type RunningSearch, SearchJob, type Waiter } from './search-job.ts'
import { SearchQueue } from './search-queue.ts'

/** If a search takes so many times the expected time, a second engine joins it. */
const HEDGE_AFTER = 3
const HEDGE_MILLISECONDS_MIN = 50
const RETRY_MILLISECONDS = 500
/** How long searches wait while all engines are backed off: one broken connection must not fail the whole queue. */
const PATIENCE_MILLISECONDS = 2_500

export interface SchedulerOptions extends QueueLimits {
  engines: readonly WorkSource[]
  clock: Clock
  /** Searches in the calling thread if that is quick; undefined if nothing was found. */
  searchHere?(target: Target): string | undefined
  onFound?(event: { class: WorkClass; engine: string; waitSeconds: number }): void
  onSearched?(event: { engine: string; hashes: number; wasted: boolean }): void
  onFailure?(event: { engine: string; reason: string }): void
}

/**
 * Decides which engine searches for which root. All callers for a root share one job, and all threads of this machine
 * work on the same job. A cheaper or more urgent job replaces a running one at once, because stopping a search and
 * starting it again loses nothing.
 */
export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #clock: Clock
  readonly #engines: Engines
  readonly #queue = new SearchQueue()
  readonly #recent = new RecentWorks()
  readonly #shares = new FairShares()
  /** The time since which no engine has been usable; reset when work is found. */
  #helplessSince: number | undefined
  #cancelRetry: (() => void) | undefined
  #closed = false

  constructor(options: SchedulerOptions) {
    this.#options = options
    this.#engines = new Engines(options.engines)
    this.#clock = options.clock
  }

  get engines(): readonly WorkSource[] {
    return this.#engines.all
  }

  /** Adds an engine. Cards are found while other engines already work. */
  add(engine: WorkSource): void {
    this.#engines.all.push(engine)
  }

  /** Removes an engine that cannot be used. */
  remove(engine: WorkSource): Promise<void> {
    return this.#engines.remove(engine)
  }

  /** Call it when an engine may have become usable. */
  wake(): void {
    this.#dispatch()
  }

  /** Searches that run or wait, and how long they will take. */
  get load(): { jobs: number; hashes: number; seconds: number } {
    const { size: jobs, hashes } = this.#queue
    return { jobs, hashes, seconds: hashes / Math.max(1, this.#engines.rate) }
  }

  /** Waits for work. Throws `no_work` if it cannot be found in time, and `Cancelled` after a cancellation. */
  search(request: WorkRequest): Promise<FoundWork> {
    return new Promise((resolve, reject) => {
      const { root, threshold, leaving } = request
      const recent = this.#recent.find(root, threshold)
      if (recent) return resolve(recent)
      const since = this.#clock.now()
      const known = this.#queue.find(root)
      const refusal = this.#refusal(request, known)
      if (refusal) return reject(refusal)
      const here = known ? undefined : this.#findHere(request)
      if (here) return resolve(here)
      const job = known ?? new SearchJob(root, since)
      const waiter: Waiter = {
        ...request,
        since,
        resolve: (found) => settle(() => resolve(found)),
        reject: (error) => settle(() => reject(error)),
      }
      const settle = (then: () => void) => {
        forgetTimer()
        forgetLeaving?.()
        then()
      }
      const forgetTimer = this.#clock.after(this.#options.waitSecondsMax * 1000, () =>
        this.#drop(job, waiter, noWork(1)),
      )
      this.#shares.enter(request.payer)
      job.join(waiter)
      this.#queue.put(job)
      const forgetLeaving = leaving?.onLeave(() => this.#drop(job, waiter, new Cancelled()))
      this.#dispatch()
    })
  }

  /**
   * Passing such a search to a thread or card would take longer than the search itself. No outside caller can cause
   * one.
   */
  #findHere({ root, threshold, class: urgency }: WorkRequest): FoundWork | undefined {
    if (urgency !== 'wallet' || !isSoonFound(threshold)) return undefined
    const work = this.#options.searchHere?.({ root, threshold })
    const value = work === undefined ? 0n : workValue(root, work)
    if (work === undefined || value < threshold) return undefined
    this.#options.onFound?.({ class: urgency, engine: 'cpu', waitSeconds: 0 })
    this.#recent.remember(root, { work, value })
    return { work, value }
  }

  /** Ends all waits of one payer for a root. */
  cancel(root: string, payer: string): boolean {
    const job = this.#queue.find(root)
    const own = [...(job?.waiters ?? [])].filter((waiter) => waiter.payer === payer)
    for (const waiter of own) this.#drop(job!, waiter, new Cancelled())
    return own.length > 0
  }

  /** Stops for good: waiting and new callers are refused at once. */
  dismiss(): void {
    this.#closed = true
    this.#cancelRetry?.()
    for (const job of this.#queue.all()) this.#fail(job)
  }

  async close(): Promise<void> {
    this.dismiss()
    await Promise.all(this.#engines.all.map((engine) => engine.close()))
  }

  #refusal(request: WorkRequest, known: SearchJob | undefined): Error | undefined {
    const { threshold, class: urgency, leaving } = request
    if (leaving?.left) return new Cancelled()
    if (this.#closed || this.#isHelpless()) return noWork(5)
    const isPrecompute = urgency === 'precompute'
    if (isPrecompute && !this.#engines.usable.some(({ spare }) => spare)) return noWork(5)
    if (known && known.threshold <= threshold && !isPrecompute && known.lead?.class !== 'precompute') return undefined
    const comeBackSeconds = secondsToComeBack(request, this.#queue, this.#engines.rate, this.#options)
    return comeBackSeconds > 0 ? noWork(comeBackSeconds) : undefined
  }

  /** Whether no engine is usable, and nothing was found for longer than a short back-off. */
  #isHelpless(): boolean {
    if (this.#engines.all.length === 0) return true
    if (this.#engines.usable.length > 0) return false
    const now = this.#clock.now()
    this.#helplessSince ??= now
    return now - this.#helplessSince >= PATIENCE_MILLISECONDS
  }

  /** Gives every free engine its next job, lets urgent jobs replace others, and adds an engine to a slow search. */
  #dispatch(): void {
    if (this.#closed) return
    if (this.#isHelpless()) this.#giveUp()
    const now = this.#clock.now()
    const rate = this.#engines.rate
    while (this.#engines.free.length > 0) {
      const job = this.#next(now, rate, (other) => this.#engines.fastestFor(other) !== undefined)
      if (!job) break
      this.#begin(job, this.#engines.fastestFor(job)!)
    }
    const waiting = this.#next(now, rate)
    if (waiting) {
      this.#makeRoom(waiting, now, rate)
      // An engine that is backed off does not report when it is ready again.
      this.#retryLater()
    }
    this.#hedge()
    this.#followThresholds()
  }

  /** The next job without an engine among those that `mayBegin` allows. */
  #next(now: number, rate: number, mayBegin: (job: SearchJob) => boolean = () => true): SearchJob | undefined {
    return this.#queue.next((a, b) => this.#shares.compare(a, b, now, rate), mayBegin)
  }

  /** Stops the least urgent running search that comes after this job. Its engine is free a moment later. */
  #makeRoom(job: SearchJob, now: number, rate: number): void {
    const running = this.#engines.usable.flatMap((engine) =>
      [...this.#engines.jobsOf(engine)].map((other) => ({ engine, other, search: other.searches.get(engine)! })),
    )
    // A search is being stopped already and will free an engine.
    if (running.some(({ search }) => search.stop.signal.aborted)) return
    const [worst] = running
      .filter(({ engine, other }) => takes(engine, job) && this.#shares.displaces(job, other, now, rate))
      .sort((a, b) => this.#shares.compare(b.other, a.other, now, rate))
    worst?.search.stop.abort()
  }

  /** A free engine joins a search that takes much longer than expected; the first result counts. */
  #hedge(): void {
    for (const job of [...this.#queue.running]) {
      if (![...job.searches.values()].every(({ late }) => late)) continue
      const helper = this.#engines.fastestFor(job, true)
      if (helper) this.#begin(job, helper)
    }
  }

  /** A new caller may be satisfied with a lower threshold. Searching for that one first costs the others nothing. */
  #followThresholds(): void {
    for (const { threshold, searches } of this.#queue.running) {
      for (const search of searches.values()) if (threshold < search.threshold) search.stop.abort()
    }
  }

  #begin(job: SearchJob, engine: WorkSource): void {
    const { root, threshold, lead } = job
    const search: RunningSearch = {
      threshold,
      startedAt: this.#clock.now(),
      stop: new AbortController(),
      late: false,
    }
    job.searches.set(engine, search)
    this.#queue.put(job)
    this.#engines.occupy(engine, job)
    if (lead) this.#shares.serve(lead.payer)
    const hedgeAfter = Math.max(
      HEDGE_MILLISECONDS_MIN,
      expectedSeconds(engine, job.expectedHashes) * HEDGE_AFTER * 1000,
    )
    const forgetHedge = this.#clock.after(hedgeAfter, () => {
      search.late = true
      this.#dispatch()
    })
    const end = () => {
      forgetHedge()
      job.searches.delete(engine)
      this.#engines.release(engine, job)
      // If the clock was set back, the time is not negative.
      const hashes = (Math.max(0, this.#clock.now() - search.startedAt) / 1000) * engine.rate
      if (lead) this.#shares.charge(lead, hashes)
      return hashes
    }
    engine.search({ root, threshold }, search.stop.signal).then(
      (work) => {
        const hashes = end()
        const answered = work === undefined ? 0 : this.#take(job, engine, work, threshold)
        this.#rest(job)
        const wasted = answered === 0 && !this.#queue.has(job)
        this.#options.onSearched?.({ engine: engine.name, hashes, wasted })
        this.#dispatch()
      },
      (error: unknown) => {
        end()
        if (error instanceof PeerFailure && error.kind === 'refused') {
          job.refusedBy.add(engine)
          this.#failRefused(job)
        }
        this.#rest(job)
        const reason = error instanceof Error ? error.message : String(error)
        this.#options.onFailure?.({ engine: engine.name, reason })
        this.#dispatch()
      },
    )
  }

  /** Checks a nonce, whatever its source. Returns how many callers were waiting for it. */
  #take(job: SearchJob, engine: WorkSource, work: string, threshold: bigint): number {
    const value = workValue(job.root, work)
    if (value < threshold) {
      engine.distrust()
      this.#options.onFailure?.({ engine: engine.name, reason: 'wrong work' })
      return 0
    }
    this.#helplessSince = undefined
    this.#recent.remember(job.root, { work, value })
    const answered = job.answer({ work, value })
    const now = this.#clock.now()
    for (const { class: urgency, since } of answered) {
      const waitSeconds = Math.max(0, now - since) / 1000
      this.#options.onFound?.({ class: urgency, engine: engine.name, waitSeconds })
    }
    if (job.waiters.size === 0) this.#end(job)
    return answered.length
  }

  /**
   * An engine has stopped working on a job, or a caller has left: puts the job back into the queue if it is still
   * needed.
   */
  #rest(job: SearchJob): void {
    if (this.#queue.has(job)) this.#queue.put(job)
  }

  /** Removes one caller; a job without callers ends. */
  #drop(job: SearchJob, waiter: Waiter, error: Error): void {
    if (!job.leave(waiter)) return
    waiter.reject(error)
    if (job.waiters.size > 0) return this.#queue.put(job)
    this.#end(job)
    this.#dispatch()
  }

  #end(job: SearchJob): void {
    if (this.#queue.has(job)) this.#queue.remove(job)
    job.stopAll()
  }

  #fail(job: SearchJob): void {
    this.#end(job)
    for (const waiter of [...job.waiters]) {
      job.leave(waiter)
      waiter.reject(noWork(5))
    }
  }

  /** Refuses all callers, because there is no engine left. */
  #giveUp(): void {
    for (const job of this.#queue.all()) if (job.searches.size === 0) this.#fail(job)
  }

  /** Refuses the callers of a search that every engine has refused. */
  #failRefused(job: SearchJob): void {
    if (this.#engines.all.every((engine) => job.refusedBy.has(engine))) this.#fail(job)
  }

  #retryLater(): void {
    this.#cancelRetry?.()
    this.#cancelRetry = this.#clock.after(RETRY_MILLISECONDS, () => this.#dispatch())
  }
}
