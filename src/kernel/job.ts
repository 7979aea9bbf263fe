import type { Clock, Ids } from './ports.ts'
import type { Db } from './db.ts'
import { type Given, givenRow, prepared } from './prepared.ts'
import type { Traces } from './traces.ts'
import type { Tables } from './db.ts'

/** Work that outlives the request that caused it. It may run twice, on two machines, and must not mind. */
export interface Job<P = unknown> {
  kind: string
  attemptsMax: number
  /** Retried for so long, whatever its row says: the waits double up to an hour and fill this time. */
  retryMilliseconds?: number
  /** Whether money waits for it: the operator is alarmed when it throws. */
  money?: true
  /** Jobs of this kind at once in one process. */
  concurrencyMax: number
  /** How long a claim holds without a sign of life. */
  leaseMilliseconds: number
  /** Runs again this long after it has finished. */
  everyMilliseconds?: number
  /** Of a recurring job: whether a round has anything to do. It only reads, and is asked before a round is begun. */
  isNeeded?(): Promise<boolean>
  /** The signal says that its claim is lost, or that the process stops: time to end between two steps. */
  run(payload: P, signal: AbortSignal): Promise<void>
}

/**
 * Thrown by a job that has nothing to do before a certain time: a limit is used up, a switch is off. Nothing has failed, so that it
 * is neither reported nor counted as an attempt; the job runs again then, however often it was put off, and shows the reason meanwhile.
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
  /** The trace that it belongs to; unset, the one at hand. */
  trace?: string | undefined
}

const ATTEMPTS_MAX = 10

/** Adds a job inside the caller's transaction: it commits or vanishes with the state it follows from. */
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

/** What a job was given, without the trace that lies beside it. A gateway that traces nothing leaves that alone. */
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
