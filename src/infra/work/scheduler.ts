import { Cancelled, noWork } from '../../kernel/errors.ts'
import { workValue } from '../../kernel/nano/work.ts'
import type { Clock, FoundWork, WorkClass, WorkRequest } from '../../kernel/ports.ts'
import { type QueueLimits, hashesOf, secondsToComeBack } from './admission.ts'
import type { WorkSource } from './source.ts'
import { FairShares } from './fair-shares.ts'
import { PeerFailure } from './peer-answer.ts'
import { RecentWorks } from './recent-works.ts'
import { type RunningSearch, SearchJob, type Waiter } from './search-job.ts'

/** An engine that has not found anything in so many times the expected time gets help. */
const HEDGE_AFTER = 3
const HEDGE_MILLISECONDS_MIN = 50
/** What asking over the network costs before the first hash. */
const PEER_LATENCY_SECONDS = 0.003
const RETRY_MILLISECONDS = 500
/** How long a search outlasts that every engine rests: one cut connection must not empty the queue. */
const PATIENCE_MILLISECONDS = 2_500

export interface SchedulerOptions extends QueueLimits {
  engines: readonly WorkSource[]
  clock: Clock
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
  readonly #busy = new Map<WorkSource, Set<SearchJob>>()
  readonly #recent = new RecentWorks()
  readonly #shares = new FairShares()
  /** When there was no usable engine for the first time since something was found. */
  #helplessSince: number | undefined
  #cancelRetry: (() => void) | undefined
  #closed = false

  constructor(options: SchedulerOptions) {
    this.#options = options
    this.#clock = options.clock
  }

  get engines(): readonly WorkSource[] {
    return this.#options.engines
  }

  /** Searches that run or wait, and what they will take. */
  get load(): { jobs: number; hashes: number; seconds: number } {
    const hashes = hashesOf(this.#jobs.values())
    return { jobs: this.#jobs.size, hashes, seconds: hashes / Math.max(1, this.#rate) }
  }

  /** Waits until work is found. Throws `no_work` when it cannot be, or not in time; `Cancelled` when called off. */
  search(request: WorkRequest): Promise<FoundWork> {
    return new Promise((resolve, reject) => {
      const { root, threshold, leaving } = request
      const recent = this.#recent.find(root, threshold)
      if (recent) return resolve(recent)
      const since = this.#clock.now()
      const known = this.#jobs.get(root)
      const refusal = this.#refusal(request, known)
      if (refusal) return reject(refusal)
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
      this.#jobs.set(root, job)
      const forgetLeaving = leaving?.onLeave(() => this.#drop(job, waiter, new Cancelled()))
      this.#dispatch()
    })
  }

  /** Ends the waits of one payer for a root. */
  cancel(root: string, payer: string): boolean {
    const job = this.#jobs.get(root)
    const own = [...(job?.waiters ?? [])].filter((waiter) => waiter.payer === payer)
    for (const waiter of own) this.#drop(job!, waiter, new Cancelled())
    return own.length > 0
  }

  /** Finds nothing any more: whoever waits is refused at once, and so is whoever comes. */
  dismiss(): void {
    this.#closed = true
    this.#cancelRetry?.()
    for (const job of [...this.#jobs.values()]) this.#fail(job)
  }

  async close(): Promise<void> {
    this.dismiss()
    await Promise.all(this.#options.engines.map((engine) => engine.close()))
  }

  get #usable(): WorkSource[] {
    return this.#options.engines.filter(({ usable }) => usable)
  }

  get #rate(): number {
    return this.#usable.reduce((sum, { rate }) => sum + rate, 0)
  }

  #refusal(request: WorkRequest, known: SearchJob | undefined): Error | undefined {
    const { threshold, class: urgency, leaving } = request
    if (leaving?.left) return new Cancelled()
    if (this.#closed || this.#isHelpless()) return noWork(5)
    const isPrecompute = urgency === 'precompute'
    if (isPrecompute && !this.#usable.some(({ spare }) => spare)) return noWork(5)
    if (known && known.threshold <= threshold && !isPrecompute && known.lead?.class !== 'precompute') return undefined
    const comeBackSeconds = secondsToComeBack(request, [...this.#jobs.values()], this.#rate, this.#options)
    return comeBackSeconds > 0 ? noWork(comeBackSeconds) : undefined
  }

  /** Whether nothing is usable, and nothing has been found for longer than a short rest takes. */
  #isHelpless(): boolean {
    if (this.#options.engines.length === 0) return true
    if (this.#usable.length > 0) return false
    const now = this.#clock.now()
    this.#helplessSince ??= now
    return now - this.#helplessSince >= PATIENCE_MILLISECONDS
  }

  /** Gives every free engine the next job, makes room for what is more urgent, and gives help where it is slow. */
  #dispatch(): void {
    if (this.#closed) return
    if (this.#isHelpless()) this.#giveUp()
    this.#failRefused()
    const now = this.#clock.now()
    const rate = this.#rate
    while (this.#freeEngines().length > 0) {
      const job = this.#next(now, rate, (other) => this.#fastest(other) !== undefined)
      if (!job) break
      this.#begin(job, this.#fastest(job)!)
    }
    const waiting = this.#next(now, rate)
    if (waiting) {
      this.#makeRoom(waiting, now, rate)
      // An engine that rests after a failure tells nobody when it is ready again.
      this.#retryLater()
    }
    this.#hedge()
    this.#followThresholds()
  }

  /** The next job that no engine works on, of those that may be begun. */
  #next(now: number, rate: number, mayBegin: (job: SearchJob) => boolean = () => true): SearchJob | undefined {
    let best: SearchJob | undefined
    for (const job of this.#jobs.values()) {
      if (job.searches.size > 0 || !mayBegin(job)) continue
      if (!best || this.#shares.compare(job, best, now, rate) < 0) best = job
    }
    return best
  }

  #freeEngines(): WorkSource[] {
    return this.#usable.filter((engine) => (this.#busy.get(engine)?.size ?? 0) < engine.slots)
  }

  /** Of the free engines the one that is expected to find it first. */
  #fastest(job: SearchJob): WorkSource | undefined {
    let best: { engine: WorkSource; seconds: number } | undefined
    for (const engine of this.#freeEngines()) {
      if (job.searches.has(engine) || !takes(engine, job)) continue
      const seconds = expectedSeconds(engine, job.expectedHashes)
      if (!best || seconds < best.seconds) best = { engine, seconds }
    }
    return best?.engine
  }

  /** Stops the least urgent search that this job comes before. Its engine is free for the job a moment later. */
  #makeRoom(job: SearchJob, now: number, rate: number): void {
    const running = this.#usable.flatMap((engine) =>
      [...(this.#busy.get(engine) ?? [])].map((other) => ({ engine, other, search: other.searches.get(engine)! })),
    )
    // One that is being stopped already makes room for somebody.
    if (running.some(({ search }) => search.stop.signal.aborted)) return
    const [worst] = running
      .filter(({ engine, other }) => takes(engine, job) && this.#shares.displaces(job, other, now, rate))
      .sort((a, b) => this.#shares.compare(b.other, a.other, now, rate))
    worst?.search.stop.abort()
  }

  /** An engine that takes much longer than expected is joined by a free one; the first to find something wins. */
  #hedge(): void {
    for (const job of this.#jobs.values()) {
      if (job.searches.size === 0 || ![...job.searches.values()].every(({ late }) => late)) continue
      const helper = this.#fastest(job)
      if (helper) this.#begin(job, helper)
    }
  }

  /** A newcomer may need less than what is being looked for: look for that, at no loss to the others. */
  #followThresholds(): void {
    for (const { threshold, searches } of this.#jobs.values()) {
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
    const busy = this.#busy.get(engine) ?? new Set()
    this.#busy.set(engine, busy.add(job))
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
      busy.delete(job)
      // A clock that was set back must not count backwards.
      const hashes = (Math.max(0, this.#clock.now() - search.startedAt) / 1000) * engine.rate
      if (lead) this.#shares.charge(lead, hashes)
      return hashes
    }
    engine.search({ root, threshold }, search.stop.signal).then(
      (work) => {
        const hashes = end()
        const answered = work === undefined ? 0 : this.#take(job, engine, work, threshold)
        const wasted = answered === 0 && this.#jobs.get(root) !== job
        this.#options.onSearched?.({ engine: engine.name, hashes, wasted })
        this.#dispatch()
      },
      (error: unknown) => {
        end()
        if (error instanceof PeerFailure && error.kind === 'refused') job.refusedBy.add(engine)
        const reason = error instanceof Error ? error.message : String(error)
        this.#options.onFailure?.({ engine: engine.name, reason })
        this.#dispatch()
      },
    )
  }

  /** Nobody's nonce is passed on unchecked. Answers how many were waiting for this one. */
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

  /** One waits less; a job that nobody waits for ends. */
  #drop(job: SearchJob, waiter: Waiter, error: Error): void {
    if (!job.leave(waiter)) return
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
    for (const waiter of [...job.waiters]) {
      job.leave(waiter)
      waiter.reject(noWork(5))
    }
  }

  /** There is nobody left to look for anything. */
  #giveUp(): void {
    for (const job of [...this.#jobs.values()]) if (job.searches.size === 0) this.#fail(job)
  }

  /** A search that nobody takes is not worth waiting for. */
  #failRefused(): void {
    const { engines } = this.#options
    for (const job of [...this.#jobs.values()]) {
      if (job.refusedBy.size > 0 && engines.every((engine) => job.refusedBy.has(engine))) this.#fail(job)
    }
  }

  #retryLater(): void {
    this.#cancelRetry?.()
    this.#cancelRetry = this.#clock.after(RETRY_MILLISECONDS, () => this.#dispatch())
  }
}

/** Whether an engine may be given a job at all. */
function takes(engine: WorkSource, job: SearchJob): boolean {
  return !job.refusedBy.has(engine) && (engine.spare || job.lead?.class !== 'precompute')
}

function expectedSeconds({ kind, rate }: WorkSource, hashes: number): number {
  return hashes / Math.max(1, rate) + (kind === 'peer' ? PEER_LATENCY_SECONDS : 0)
}
