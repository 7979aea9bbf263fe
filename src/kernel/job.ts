import type { Db, Tables } from './db.ts'
import { isOutage } from './failures.ts'
import type { Clock, Ids } from './ports.ts'
import { type Given, givenRow, prepared } from './prepared.ts'
import type { Traces } from './traces.ts'

/**
 * Work that continues after the request that caused it. It may run twice, on two machines, and must then have the same
 * result.
 */
export interface Job<P = unknown> {
  kind: string
  /** How long it is retried. The pauses double up to an hour. A change applies to stored jobs, too. */
  retryMilliseconds?: number
  /** Whether money depends on it, so that a failure alerts the operator. */
  money?: true
  /** Most jobs of this kind that one process runs at once; by default one. */
  concurrencyMax?: number
  /** How long a claim is valid without being renewed; by default a minute. */
  leaseMilliseconds?: number
  /** For a recurring job: the pause after each run. */
  everyMilliseconds?: number
  /** For a recurring job: the attempts of each run; by default three. Others have what they were added with. */
  attemptsMax?: number
  /** For a recurring job: whether a run has anything to do. Called before the run; must not write. */
  isNeeded?(): Promise<boolean>
  /** The signal aborts when the claim is lost or the process stops; then end after the current step. */
  run(payload: P, signal: AbortSignal): Promise<void>
}

/**
 * Thrown by a job that cannot do anything before some time, for example because a limit is used up or a setting is off.
 * That is not a failure, so it is neither reported nor counted as an attempt. The job runs again at that time, any
 * number of times, and shows the reason until then.
 */
export class PutOff extends Error {
  readonly runAt: number

  constructor(runAt: number, reason: string) {
    super(reason)
    this.runAt = runAt
  }
}

interface NewJob {
  kind: string
  payload: unknown
  /** While a job with this key waits or runs, adding another one has no effect. */
  key?: string
  runAt?: number
  attemptsMax?: number
  /** The trace that it belongs to; by default the current one. */
  trace?: string | undefined
}

const ATTEMPTS_MAX = 10

/** Adds a job in the caller's transaction, so that it is committed or rolled back with the change that needs it. */
export async function enqueue(
  { db, clock, ids, traces }: { db: Db; clock: Clock; ids: Ids; traces?: Traces | undefined },
  { kind, payload, key, runAt, attemptsMax = ATTEMPTS_MAX, trace = traces?.handle() }: NewJob,
): Promise<void> {
  const now = clock.now()
  await insertJob(db, {
    id: ids.next('job'),
    kind,
    key: key ?? null,
    payload: JSON.stringify(trace === undefined ? payload : { ...(payload as object), traceparent: trace }),
    run_at: runAt ?? now,
    attempts_max: attemptsMax,
    created_at: now,
  })
}

/** Separates the payload of a stored job from the trace stored with it; a gateway without traces ignores the trace. */
export function splitTrace(stored: unknown): { payload: unknown; trace: unknown } {
  if (typeof stored !== 'object' || stored === null || !('traceparent' in stored)) {
    return { payload: stored, trace: undefined }
  }
  const { traceparent: trace, ...payload } = stored
  return { payload, trace }
}

const NEW = { status: 'ready', attempts: 0, locked_until: null, fence: 0, last_error: null, finished_at: null } as const

const insertJob = prepared(
  (
    db,
    given: Given<Pick<Tables['jobs'], 'id' | 'kind' | 'key' | 'payload' | 'run_at' | 'attempts_max' | 'created_at'>>,
  ) => {
    const row = givenRow(given, ['id', 'kind', 'key', 'payload', 'run_at', 'attempts_max', 'created_at'])
    return db
      .insertInto('jobs')
      .values({ ...row, ...NEW })
      .onConflict((conflict) => conflict.doNothing())
  },
)

const RETRY_AFTER = 30_000

interface DueOf {
  signal: AbortSignal
  /** Reports a failure of one of them. */
  failed(id: string): (error: unknown) => undefined
  /** Delays one that failed by so many milliseconds. */
  postpone(id: string, milliseconds: number): Promise<unknown>
}

/**
 * Processes everything that is due, one after another. A failure delays no other entry; if one was our own fault,
 * throws at the end.
 */
export async function forEachDue(
  ids: readonly string[],
  { signal, failed, postpone }: DueOf,
  run: (id: string) => Promise<unknown>,
): Promise<void> {
  const faults: unknown[] = []
  for (const id of ids) {
    if (signal.aborted) return
    try {
      await run(id)
    } catch (error) {
      failed(id)(error)
      await postpone(id, RETRY_AFTER)
      if (!isOutage(error)) faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
}
