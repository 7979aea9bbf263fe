import { LedgerRefusal, noWork } from '../../kernel/errors.ts'
import { expectedHashes, workValue } from '../../kernel/nano/work.ts'
import type { Clock, FoundWork, WorkClass, WorkRequest } from '../../kernel/ports.ts'
import type { Engine } from './engine.ts'
import { FairShares } from './fair-shares.ts'
import { RANK, type RunningSearch, SearchJob, type Waiter } from './search-job.ts'

/** Nobody queues behind more than this, whatever the estimate says. */
const JOBS_MAX = 1_000
/** An engine that has not found anything in so many times the expected time gets help. */
const HEDGE_AFTER = 3
const HEDGE_MILLISECONDS_MIN = 50
/** What asking over the network costs before the first hash. */
const PEER_LATENCY_SECONDS = 0.003
const RETRY_MILLISECONDS = 1_000

export interface SchedulerOptions {
  engines: readonly Engine[]
  clock: Clock
  /** The longest wait in the queue that is worth beginning. */
  queueSecondsMax: number
  /** The longest anybody waits altogether. */
  waitSecondsMax: number
  onFound?(event: { class: WorkClass; engine: string; waitSeconds: number }): void
  onSearched?(event: { engine: string; hashes: number; wasted: boolean }): void
  onFailure?(event: { engine: string; reason: string }): void
}

/**
 * Decides which engine looks for which root. One job for each root, whoever asks for it; all threads of this machine on
 * one job; a job that is cheaper or more urgent takes the place of a running one at once, because a search can be
 * stopped and begun again at no loss.
 */
export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #clock: Clock
  readonly #jobs = new Map<string, SearchJob>()
  /** What each engine is busy with; a search that was stopped counts until it has really ended. */
  readonly #busy = new Map<Engine, Set<SearchJob>>()
  readonly #shares = new FairShares()
  #cancelRetry: (() => void) | undefined
  #closed = false

  constructor(options: SchedulerOptions) {
    this.#options = options
    this.#clock = options.clock
  }

  get engines(): readonly Engine[] {
    return this.#options.engines
  }

  /** Searches that run or wait, and what they will take. */
  get load(): { jobs: number; hashes: number; seconds: number } {
    let hashes = 0
    for (const job of this.#jobs.values()) hashes += job.expectedHashes
    return { jobs: this.#jobs.size, hashes, seconds: hashes === 0 ? 0 : hashes / Math.max(1, this.#rate) }
  }

  /** Waits until work is found. Throws `no_work` when it cannot be, or not in time; the ledger's `Cancelled` when called off. */
  search(request: WorkRequest): Promise<FoundWork> {
    return new Promise((resolve, reject) => {
      const { root, leaving } = request
      const since = this.#clock.now()
      const known = this.#jobs.get(root)
      const job = known ?? new SearchJob(root, since)
      const refusal = this.#refusal(request, job)
      if (refusal) return reject(refusal)
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
      job.waiters.add(waiter)
      if (!known) this.#jobs.set(root, job)
      const forgetLeaving = leaving?.onLeave(() => this.#drop(job, waiter, new LedgerRefusal('Cancelled')))
      this.#dispatch()
    })
  }

  /** Ends the waits of one payer for a root. */
  cancel(root: string, payer: string): boolean {
    const job = this.#jobs.get(root)
    const own = [...(job?.waiters ?? [])].filter((waiter) => waiter.payer === payer)
    for (const waiter of own) this.#drop(job!, waiter, new LedgerRefusal('Cancelled'))
    return own.length > 0
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelRetry?.()
    for (const job of [...this.#jobs.values()]) this.#fail(job)
    await Promise.all(this.#options.engines.map((engine) => engine.close()))
  }

  get #usable(): Engine[] {
    return this.#options.engines.filter(({ usable }) => usable)
  }

  get #rate(): number {
    return this.#usable.reduce((sum, { rate }) => sum + rate, 0)
  }

  #refusal({ threshold, class: urgency, leaving }: WorkRequest, job: SearchJob): Error | undefined {
    if (this.#closed || this.#usable.length === 0) return noWork(5)
    if (leaving?.left) return new LedgerRefusal('Cancelled')
    if (job.waiters.size > 0 && job.threshold <= threshold && urgency !== 'precompute') return undefined
    if (this.#jobs.size >= JOBS_MAX) return noWork(Math.ceil(this.load.seconds / 2) || 1)
    if (urgency === 'precompute') return undefined
    const seconds = this.#secondsAhead(expectedHashes(threshold), RANK[urgency])
    const over = seconds - this.#options.queueSecondsMax
    return over > 0 ? noWork(Math.ceil(over)) : undefined
  }

  /** How long what comes first will take: everything more urgent, and of the same urgency what is not dearer. */
  #secondsAhead(hashes: number, rank: number): number {
    const now = this.#clock.now()
    let ahead = 0
    for (const job of this.#jobs.values()) {
      const difference = this.#shares.rank(job, now) - rank
      if (difference < 0 || (difference === 0 && job.expectedHashes <= hashes)) ahead += job.expectedHashes
    }
    return ahead / Math.max(1, this.#rate)
  }

  /** Gives every free engine the next job, makes room for what is more urgent, and gives help where it is slow. */
  #dispatch(): void {
    if (this.#closed) return
    if (this.#usable.length === 0) return this.#giveUp()
    const now = this.#clock.now()
    const rate = this.#rate
    const idleJobs = [...this.#jobs.values()].filter((job) => job.searches.size === 0)
    const waiting = idleJobs.sort((a, b) => this.#shares.compare(a, b, now, rate))
    for (const job of waiting) {
      const engine = this.#freeEngine(job)
      if (engine) this.#begin(job, engine)
      else if (!this.#makeRoom(job, now, rate)) break
    }
    this.#hedge(now)
    this.#followThresholds()
    // An engine that rests after a failure says nobody when it is ready again.
    if ([...this.#jobs.values()].some((job) => job.searches.size === 0)) this.#retryLater()
  }

  #freeEngine(job: SearchJob): Engine | undefined {
    return this.#fastest(
      this.#usable.filter((engine) => !job.searches.has(engine) && (this.#busy.get(engine)?.size ?? 0) < engine.slots),
      job,
    )
  }

  #fastest(engines: readonly Engine[], { expectedHashes: hashes }: SearchJob): Engine | undefined {
    let best: { engine: Engine; seconds: number } | undefined
    for (const engine of engines) {
      const seconds = expectedSeconds(engine, hashes)
      if (!best || seconds < best.seconds) best = { engine, seconds }
    }
    return best?.engine
  }

  #running(engine: Engine): SearchJob[] {
    return [...(this.#busy.get(engine) ?? [])]
  }

  /** Stops the least urgent search that this job comes before. It is free for the job a moment later. */
  #makeRoom(job: SearchJob, now: number, rate: number): boolean {
    const candidates = this.#usable.flatMap((engine) => this.#running(engine).map((running) => ({ engine, running })))
    // One that is being stopped already makes room for somebody.
    if (candidates.some(({ engine, running }) => running.searches.get(engine)!.stop.signal.aborted)) return false
    const worst = candidates
      .filter(({ running }) => this.#shares.displaces(job, running, now, rate))
      .sort((a, b) => this.#shares.compare(b.running, a.running, now, rate))[0]
    worst?.running.searches.get(worst.engine)!.stop.abort()
    return worst !== undefined
  }

  /** An engine that takes much longer than expected is joined by a free one; the first to find something wins. */
  #hedge(now: number): void {
    for (const job of this.#jobs.values()) {
      if (job.searches.size === 0) continue
      const late = [...job.searches].every(([engine, { startedAt }]) => now - startedAt >= hedgeAfter(engine, job))
      const helper = late ? this.#freeEngine(job) : undefined
      if (helper) this.#begin(job, helper)
    }
  }

  /** A newcomer may need less than what is being looked for: look for that, at no loss to the others. */
  #followThresholds(): void {
    for (const job of this.#jobs.values()) {
      const { threshold } = job
      for (const search of job.searches.values()) if (threshold < search.threshold) search.stop.abort()
    }
  }

  #begin(job: SearchJob, engine: Engine): void {
    const { root, threshold, lead } = job
    const search: RunningSearch = { threshold, startedAt: this.#clock.now(), stop: new AbortController() }
    job.searches.set(engine, search)
    const busy = this.#busy.get(engine) ?? new Set()
    this.#busy.set(engine, busy.add(job))
    if (lead) this.#shares.serve(lead.payer)
    const forgetHedge = this.#clock.after(hedgeAfter(engine, job), () => this.#dispatch())
    const end = () => {
      forgetHedge()
      job.searches.delete(engine)
      busy.delete(job)
      const hashes = ((this.#clock.now() - search.startedAt) / 1000) * engine.rate
      if (lead) this.#shares.charge(lead, hashes)
      return hashes
    }
    engine.search({ root, threshold }, search.stop.signal).then(
      (work) => {
        const hashes = end()
        const answered = work === undefined ? 0 : this.#take(job, engine, work, threshold)
        const wasted = answered === 0 && !this.#jobs.has(root)
        this.#options.onSearched?.({ engine: engine.name, hashes, wasted })
        this.#dispatch()
      },
      (error: unknown) => {
        end()
        const reason = error instanceof Error ? error.message : String(error)
        this.#options.onFailure?.({ engine: engine.name, reason })
        this.#dispatch()
      },
    )
  }

  /** Nobody's nonce is passed on unchecked. Answers how many were waiting for this one. */
  #take(job: SearchJob, engine: Engine, work: string, threshold: bigint): number {
    const value = workValue(job.root, work)
    if (value < threshold) {
      engine.distrust()
      this.#options.onFailure?.({ engine: engine.name, reason: 'wrong work' })
      return 0
    }
    const answered = job.answer({ work, value })
    const now = this.#clock.now()
    for (const { class: urgency, since } of answered) {
      this.#options.onFound?.({ class: urgency, engine: engine.name, waitSeconds: (now - since) / 1000 })
    }
    if (job.waiters.size === 0) this.#end(job)
    return answered.length
  }

  /** One waits less; a job that nobody waits for ends. */
  #drop(job: SearchJob, waiter: Waiter, error: Error): void {
    if (!job.waiters.delete(waiter)) return
    waiter.reject(error)
    if (job.waiters.size > 0) return
    this.#end(job)
    this.#dispatch()
  }

  #end(job: SearchJob): void {
    if (this.#jobs.get(job.root) === job) this.#jobs.delete(job.root)
    job.stopAll()
  }

  #fail(job: SearchJob): void {
    this.#end(job)
    for (const waiter of job.waiters) waiter.reject(noWork(5))
    job.waiters.clear()
  }

  /** There is nobody left to look for anything. */
  #giveUp(): void {
    for (const job of [...this.#jobs.values()]) if (job.searches.size === 0) this.#fail(job)
  }

  #retryLater(): void {
    this.#cancelRetry?.()
    this.#cancelRetry = this.#clock.after(RETRY_MILLISECONDS, () => this.#dispatch())
  }
}

function expectedSeconds({ kind, rate }: Engine, hashes: number): number {
  return hashes / Math.max(1, rate) + (kind === 'peer' ? PEER_LATENCY_SECONDS : 0)
}

function hedgeAfter(engine: Engine, { expectedHashes: hashes }: SearchJob): number {
  return Math.max(HEDGE_MILLISECONDS_MIN, expectedSeconds(engine, hashes) * HEDGE_AFTER * 1000)
}
