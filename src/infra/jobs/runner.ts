import type { StoreEngine } from '../../kernel/dialect.ts'
import { isStoreAway } from '../../kernel/errors.ts'
import { Gathered } from '../../kernel/gathered.ts'
import type { Failures } from '../../kernel/failures.ts'
import { type Job, PutOff, enqueue } from '../../kernel/job.ts'
import { MailRefused } from '../../kernel/mail-job.ts'
import type { Clock, Ids, Random } from '../../kernel/ports.ts'
import type { Db } from '../../kernel/db.ts'
import { type Traces, asStep } from '../../kernel/traces.ts'
import {
  type ClaimedJob,
  SCHEDULE,
  claimJobs,
  markAgain,
  markAllDone,
  markDead,
  markGivenBack,
  markRetry,
  openDueKinds,
  openNextRun,
  pullIn,
  renewClaim,
} from './queue.ts'

/** How soon to poll after something has happened; later the store is asked when the next job is due. */
const POLL_SOON = 1_000
/** The longest pause between polls. A poll finds jobs whose worker died, or whose notice was lost. */
const POLL_EVERY = 5_000
/** A synchronised clock is corrected by less than this. A larger step back means that somebody set it. */
const SET_BACK_MIN = 5_000
const BACKOFF_MIN = 1_000
const BACKOFF_MAX = 3_600_000
const ERROR_TEXT_MAX = 500
const DONE_AT_ONCE = 128
const LEASE = 60_000
const ATTEMPTS_MAX = 3

export interface RunnerOptions {
  db: Db
  engine: StoreEngine
  clock: Clock
  random: Random
  ids: Ids
  jobs: readonly Job[]
  failures: Failures
  onOutcome?: (event: { kind: string; outcome: Outcome }) => void
  traces?: Traces | undefined
}

type Outcome = 'done' | 'retry' | 'dead' | 'lost' | 'given_back' | 'put_off'

/** Runs jobs in this process. Several runners may share a store; the queue decides which runner gets a job. */
export class JobRunner {
  readonly #options: RunnerOptions
  readonly #running = new Map<string, Set<Promise<void>>>()
  /** When to ask again about recurring kinds that had nothing to do. */
  readonly #askAgainAt = new Map<string, number>()
  readonly #stop = new AbortController()
  #cancelPoll: (() => void) | undefined
  #looking = false
  #look: Promise<void> = Promise.resolve()
  #lookAgain = false
  /** The latest time since the clock was last set back. */
  #latest = 0
  readonly #dueKinds: (db: Db, now: number) => Promise<string[]>
  readonly #nextRun: (db: Db, now: number) => Promise<number | undefined>
  readonly #done: Gathered<ClaimedJob, boolean>

  constructor(options: RunnerOptions) {
    this.#options = options
    const kinds = options.jobs.map(({ kind }) => kind)
    this.#dueKinds = openDueKinds(kinds)
    this.#nextRun = openNextRun(kinds)
    this.#done = new Gathered(async (jobs) => {
      const won = await markAllDone(options.db, jobs, options.clock.now())
      return jobs.map(({ id }) => won.has(id))
    }, DONE_AT_ONCE)
    for (const { kind } of options.jobs) this.#running.set(kind, new Set())
  }

  async start(): Promise<void> {
    // The clock may have been set back while no runner was running.
    await this.#pullAllIn(this.#options.clock.now())
    for (const job of this.#options.jobs) if (job.everyMilliseconds !== undefined) await this.#schedule(job, 0)
    this.wake()
  }

  /** Call it when jobs may be due: after commits in this process, notices of others, and the end of jobs. */
  wake(): void {
    // Nobody would wait for that poll: the store may close before it ends.
    if (this.#stop.signal.aborted) return
    if (this.#looking) this.#lookAgain = true
    else this.#lookNow({ isIdle: false })
  }

  /** Claims no more jobs and waits for the running ones, whose signal is aborted. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.#cancelPoll?.()
    // A claim that is in progress may still return jobs, which then run.
    await this.#look
    await Promise.all([...this.#running.values()].flatMap((running) => [...running]))
  }

  /** Polls outside of any trace, because a poll belongs to no single caller. */
  #lookNow({ isIdle }: { isIdle: boolean }): void {
    const { traces } = this.#options
    const look = () => this.#lookForJobs(isIdle)
    this.#look = traces ? traces.outside(look) : look()
  }

  async #lookForJobs(isIdle: boolean): Promise<void> {
    let pause = POLL_SOON
    this.#looking = true
    this.#cancelPoll?.()
    do {
      this.#lookAgain = false
      const look = await this.#listDue(isIdle)
      pause = look.pause
      for (const job of look.due) {
        try {
          await this.#claim(job)
        } catch (error) {
          // The next poll tries again.
          this.#options.failures.failed('jobs.queue', { job: job.kind })(error)
        }
      }
    } while (this.#lookAgain && !this.#stop.signal.aborted)
    this.#looking = false
    if (this.#stop.signal.aborted) return
    this.#cancelPoll = this.#options.clock.after(pause, () => this.#lookNow({ isIdle: true }))
  }

  /**
   * One query for all kinds, so no writer is needed while nothing is due. After a quiet time it also reads when the
   * next job is due, to sleep until then.
   */
  async #listDue(isIdle: boolean): Promise<{ due: Job[]; pause: number }> {
    const { db, clock, jobs, failures } = this.#options
    const now = clock.now()
    try {
      if (now < this.#latest - SET_BACK_MIN) await this.#pullAllIn(now)
      this.#latest = Math.max(this.#latest, now)
      const [kinds, next] = await Promise.all([this.#dueKinds(db, now), isIdle ? this.#nextRun(db, now) : undefined])
      const found = jobs.filter(({ kind }) => kinds.includes(kind))
      const needed = await Promise.all(found.map((job) => this.#isNeeded(job)))
      const due = found.filter((_job, at) => needed[at])
      if (!isIdle) return { due, pause: POLL_SOON }
      const waiting = [...this.#askAgainAt.values()].filter((at) => at > now)
      return { due, pause: Math.min(POLL_EVERY, ...[next ?? Infinity, ...waiting].map((at) => at - now)) }
    } catch (error) {
      failures.failed('jobs.queue', { job: 'all' })(error)
      return { due: [], pause: POLL_SOON }
    }
  }

  async #pullAllIn(now: number): Promise<void> {
    for (const { kind, everyMilliseconds: every, leaseMilliseconds: lease = LEASE } of this.#options.jobs) {
      await pullIn(this.#options.db, { kind, now, every, lease })
    }
    this.#askAgainAt.clear()
    this.#latest = now
  }

  /** Starting and ending a run are two writes, which an idle gateway should avoid. */
  async #isNeeded(job: Job): Promise<boolean> {
    const { kind, everyMilliseconds: every, isNeeded } = job
    if (isNeeded === undefined || every === undefined) return true
    const now = this.#options.clock.now()
    if (now < (this.#askAgainAt.get(kind) ?? 0)) return false
    try {
      if (await isNeeded.call(job)) return true
    } catch (error) {
      // The run starts anyway: its own failure is reported, retried and counted.
      this.#options.failures.failed('jobs.queue', { job: kind })(error)
      return true
    }
    this.#askAgainAt.set(kind, now + every)
    return false
  }

  async #claim(job: Job): Promise<void> {
    const { db, engine, clock } = this.#options
    const { kind, concurrencyMax = 1, leaseMilliseconds = LEASE } = job
    const running = this.#running.get(kind)!
    const limit = concurrencyMax - running.size
    if (limit <= 0 || this.#stop.signal.aborted) return
    for (const claimed of await claimJobs(db, engine, { kind, limit, now: clock.now(), leaseMilliseconds })) {
      const run = this.#run(job, claimed)
        // If the outcome cannot be stored, the claim expires and the job is taken again.
        .catch(this.#options.failures.failed('jobs.queue', { job: job.kind, jobId: claimed.id }))
        .finally(() => {
          running.delete(run)
          this.wake()
        })
      running.add(run)
    }
  }

  async #run(job: Job, claimed: ClaimedJob): Promise<void> {
    const { kind } = job
    const step = this.#options.traces?.resume(claimed.trace, `job ${kind}`, {
      'gateway.job.kind': kind,
      'gateway.job.id': claimed.id,
      'gateway.job.attempt': claimed.attempts,
    })
    const outcome = await asStep(step, async () => {
      const outcome = await this.#attempt(job, claimed)
      step?.note({ 'gateway.job.outcome': outcome })
      return outcome
    })
    this.#options.onOutcome?.({ kind, outcome })
  }

  async #attempt(job: Job, claimed: ClaimedJob): Promise<Outcome> {
    const abort = new AbortController()
    const stopRenewing = this.#keepClaim(job, claimed, abort)
    try {
      if (claimed.attempts > attemptsMaxOf(job, claimed)) throw new Error('Its worker died at every attempt.')
      await job.run(claimed.payload, AbortSignal.any([abort.signal, this.#stop.signal]))
      return (await this.#finish(job, claimed)) ? 'done' : 'lost'
    } catch (error) {
      return await this.#fail(job, claimed, error)
    } finally {
      stopRenewing()
    }
  }

  #finish({ everyMilliseconds: every }: Job, claimed: ClaimedJob): Promise<boolean> {
    const { db, clock } = this.#options
    return every === undefined ? this.#done.ask(claimed) : markAgain(db, claimed, clock.now() + every)
  }

  /** Schedules a retry, or marks the job as dead. A recurring job continues with its next run. */
  async #fail(job: Job, claimed: ClaimedJob, error: unknown): Promise<Outcome> {
    const { db, clock } = this.#options
    if (error instanceof PutOff) {
      const reason = error.message.slice(0, ERROR_TEXT_MAX)
      return (await markGivenBack(db, claimed, error.runAt, reason)) ? 'put_off' : 'lost'
    }
    if (isStoreAway(error)) return this.#giveBack(job, claimed, error)
    // The failure may be caused by the shutdown: the next process runs the job, and the attempt does not count.
    if (this.#stop.signal.aborted) return (await markGivenBack(db, claimed, clock.now())) ? 'given_back' : 'lost'
    const place = job.money ? 'jobs.money' : 'jobs.other'
    this.#options.failures.failed(place, { job: job.kind, jobId: claimed.id })(error)
    const text = (error instanceof Error ? error.message : String(error)).slice(0, ERROR_TEXT_MAX)
    if (claimed.attempts < attemptsMaxOf(job, claimed) && !(error instanceof MailRefused)) {
      const runAt = clock.now() + this.#backOff(job, claimed.attempts)
      return (await markRetry(db, claimed, runAt, text)) ? 'retry' : 'lost'
    }
    return db.transaction().execute(async (tx) => {
      if (!(await markDead(tx, claimed, clock.now(), text))) return 'lost'
      if (job.everyMilliseconds !== undefined) await this.#schedule(job, job.everyMilliseconds, tx)
      return 'dead'
    })
  }

  /**
   * Returns a job to the queue after an outage of the store. The attempt does not count, because the outage is not the
   * job's fault. Returning the job must be stored, too; until the store is back, the job keeps its place in this
   * process. If the process stops before, the claim expires.
   */
  async #giveBack({ kind, money }: Job, claimed: ClaimedJob, error: unknown): Promise<Outcome> {
    const { db, clock, failures } = this.#options
    failures.failed(money ? 'jobs.money' : 'jobs.other', { job: kind, jobId: claimed.id })(error)
    for (let tries = 1; ; tries++) {
      try {
        return (await markGivenBack(db, claimed, clock.now() + POLL_SOON)) ? 'given_back' : 'lost'
      } catch (away) {
        if (!isStoreAway(away) || this.#stop.signal.aborted) throw away
        await this.#pause(Math.min(waitAfter(tries), POLL_EVERY))
      }
    }
  }

  /** Waits so many milliseconds, or until this process stops. */
  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const { signal } = this.#stop
      const end = () => {
        cancel()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const cancel = this.#options.clock.after(milliseconds, end)
      signal.addEventListener('abort', end)
    })
  }

  async #schedule(job: Job, inMilliseconds: number, db: Db = this.#options.db): Promise<void> {
    const { clock, ids } = this.#options
    const runAt = clock.now() + inMilliseconds
    const { kind, attemptsMax = ATTEMPTS_MAX } = job
    await enqueue({ db, clock, ids }, { kind, payload: {}, key: SCHEDULE, runAt, attemptsMax })
  }

  /** Renews the claim while a job runs; a lost claim aborts it. */
  #keepClaim({ leaseMilliseconds: lease = LEASE }: Job, claimed: ClaimedJob, abort: AbortController): () => void {
    const { db, clock, failures } = this.#options
    let cancel = () => {}
    let ended = false
    const renew = () => {
      if (ended) return
      cancel = clock.after(Math.floor(lease / 3), () => {
        renewClaim(db, claimed, clock.now() + lease).then(
          (kept) => (kept ? renew() : abort.abort()),
          (error: unknown) => {
            failures.lost('jobs.lease')(error)
            renew()
          },
        )
      })
    }
    renew()
    return () => {
      ended = true
      cancel()
    }
  }

  /**
   * Waits a random time up to the exponential bound, so that retries are spread; never zero. Jobs that are retried for
   * a fixed time wait the whole bound and up to a quarter more.
   */
  #backOff({ retryMilliseconds }: Job, attempts: number): number {
    const bound = waitAfter(attempts)
    const [least, spread] = retryMilliseconds === undefined ? [1, bound] : [bound, bound / 4]
    return least + Math.floor((Buffer.from(this.#options.random.bytes(4)).readUInt32LE() / 2 ** 32) * spread)
  }
}

const waitAfter = (attempts: number) => Math.min(BACKOFF_MAX, BACKOFF_MIN * 2 ** Math.min(attempts, 20))

function attemptsMaxOf({ retryMilliseconds }: Job, { attemptsMax }: ClaimedJob): number {
  if (retryMilliseconds === undefined) return attemptsMax
  let attempts = 1
  for (let waited = 0; waited < retryMilliseconds; attempts++) waited += waitAfter(attempts)
  return attempts
}
