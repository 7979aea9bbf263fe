import type { Db, Tables } from './db.ts'
import { isOutage } from './failures.ts'
import type { Clock, Ids } from './ports.ts'
import { type Given, givenRow, prepared } from './prepared.ts'
import type { Traces } from './traces.ts'

/** Work that outlives the request that caused it. It may run twice, on two machines, with the same result. */
export interface Job<P = unknown> {
  kind: string
  attemptsMax: number
  /** How long it is retried; the waits double up to an hour. Applies to existing rows, too. */
  retryMilliseconds?: number
  /** Whether money depends on it: the operator is alerted when it throws. */
  money?: true
  /** How many jobs of this kind run at once in one process. */
  concurrencyMax: number
  /** How long a claim holds without being renewed. */
  leaseMilliseconds: number
  /** It runs again this long after it has finished. */
  everyMilliseconds?: number
  /** For a recurring job: whether a round has anything to do. Read-only, and called before a round begins. */
  isNeeded?(): Promise<boolean>
  /** The signal aborts when the claim is lost or the process stops: end between two steps. */
  run(payload: P, signal: AbortSignal): Promise<void>
}

/**
 * Thrown by a job that has nothing to do before a certain time: a limit is used up, a switch is off. Nothing has failed, so it is
 * neither reported nor counted as an attempt. The job runs again at that time, however often that happens, and shows the reason until
 * then.
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
  /** While a job with this key waits or runs, adding another does nothing. */
  key?: string
  runAt?: number
  attemptsMax?: number
  /** The trace that it belongs to; unset, the current one. */
  trace?: string | undefined
}

const ATTEMPTS_MAX = 10

/** Adds a job inside the caller's transaction, so that it is committed or rolled back with the change that it follows from. */
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

/** The payload of a stored job, and the trace beside it, which a gateway without traces ignores. */
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
  /** Reports that one has failed. */
  failed(id: string): (error: unknown) => undefined
  /** Delays one that failed by so many milliseconds. */
  postpone(id: string, milliseconds: number): Promise<unknown>
}

/** Handles everything that is due, one after another. A failed one delays no other; a round with a fault of our own throws at its end. */
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
