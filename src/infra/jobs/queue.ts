import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import { type StoreEngine, isUniqueViolation, skipLocked } from '../../kernel/dialect.ts'
import { type Job, splitTrace } from '../../kernel/job.ts'
import type { Clock } from '../../kernel/ports.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'
import { type Retention, deleteSome, inSteps } from '../../kernel/retention.ts'

/** The key of all runs of a recurring job. */
export const SCHEDULE = 'schedule'

/** A job that a runner has claimed. The fence proves that it still holds the claim. */
export interface ClaimedJob {
  id: string
  kind: string
  key: string | null
  payload: unknown
  /** The trace of what caused the job. */
  trace: unknown
  attempts: number
  attemptsMax: number
  fence: number
}

/**
 * Claims due jobs, and jobs whose worker has died, in one statement, so that two instances never claim the same job. A
 * claim counts as an attempt; otherwise a job that kills its worker would be tried for ever. Materialized, because
 * PostgreSQL may run a subquery several times, and each run would lock more rows.
 */
export async function claimJobs(
  db: Db,
  engine: StoreEngine,
  { kind, limit, now, leaseMilliseconds }: { kind: string; limit: number; now: number; leaseMilliseconds: number },
): Promise<ClaimedJob[]> {
  const { rows } = await sql<{
    id: string
    kind: string
    key: string | null
    payload: string
    attempts: number
    attempts_max: number
    fence: number
  }>`
    with due as materialized (
      select id from jobs
      where kind = ${kind} and status in ('ready', 'running')
        and ((status = 'ready' and run_at <= ${now}) or (status = 'running' and locked_until < ${now}))
      order by run_at limit ${sql.lit(limit)} ${skipLocked(engine)}
    )
    update jobs set status = 'running', attempts = attempts + 1, fence = fence + 1,
      locked_until = ${now + leaseMilliseconds}
    where id in (select id from due)
    returning id, kind, key, payload, attempts, attempts_max, fence`.execute(db)
  return rows.map(({ attempts_max: attemptsMax, payload, ...row }) => ({
    ...row,
    attemptsMax,
    ...splitTrace(JSON.parse(payload)),
  }))
}

/**
 * Finds out for all kinds at once which have due jobs, without using a turn of the writer. It costs one index look-up
 * per kind, however many jobs are due later.
 */
export function openDueKinds(kinds: readonly string[]): (db: Db, now: number) => Promise<string[]> {
  const select = prepared((_db, given: Given<{ now: number }>) => {
    const query = sql<{ kind: string }>`select kinds.kind from (${namesOf(kinds)}) as kinds where (
        select 1 from jobs where jobs.kind = kinds.kind and status in ('ready', 'running') and run_at <= ${given('now')}
          and (status = 'ready' or locked_until < ${given('now')})
        order by run_at limit 1
      ) = 1`
    return { compile: () => query.compile(_db) }
  })
  return async (db, now) => (await select(db, { now })).map(({ kind }) => kind)
}

/** When the next job of any kind is due; running jobs do not count. */
export function openNextRun(kinds: readonly string[]): (db: Db, now: number) => Promise<number | undefined> {
  const select = prepared((_db, given: Given<{ now: number }>) => {
    const query = sql<{ at: number | null }>`select min((
        select run_at from jobs where jobs.kind = kinds.kind and status in ('ready', 'running') and run_at > ${given('now')}
        order by run_at limit 1
      )) as at from (${namesOf(kinds)}) as kinds`
    return { compile: () => query.compile(_db) }
  })
  return async (db, now) => (await select(db, { now }))[0]?.at ?? undefined
}

const namesOf = (kinds: readonly string[]) =>
  sql.join(
    kinds.map((kind) => sql`select ${sql.lit(kind)} as kind`),
    sql` union all `,
  )

/** Extends a claim; false when it was lost. */
export async function renewClaim(db: Db, { id, fence }: ClaimedJob, lockedUntil: number): Promise<boolean> {
  return markRunning(db, { id, fence }, { locked_until: lockedUntil })
}

/**
 * Marks several running jobs as done, and returns them. Jobs whose claim was lost are not returned, and the results of their workers must not count.
 */
export async function markAllDone(db: Db, jobs: readonly ClaimedJob[], now: number): Promise<Set<string>> {
  const rows = await db
    .updateTable('jobs')
    .set({ status: 'done', finished_at: now, locked_until: null, last_error: null })
    .where(
      'id',
      'in',
      jobs.map(({ id }) => id),
    )
    .where(
      sql<string>`id || ':' || fence`,
      'in',
      jobs.map(({ id, fence }) => `${id}:${fence}`),
    )
    .where('status', '=', 'running')
    .returning('id')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export async function markRetry(db: Db, job: ClaimedJob, runAt: number, error: string): Promise<boolean> {
  return markRunning(db, job, { status: 'ready', run_at: runAt, locked_until: null, last_error: error })
}

/** Makes a recurring job that has run ready for its next run, which reuses the row. */
export async function markAgain(db: Db, job: ClaimedJob, runAt: number): Promise<boolean> {
  return markRunning(db, job, { status: 'ready', run_at: runAt, attempts: 0, locked_until: null, last_error: null })
}

/** Makes a running job ready again without counting the attempt: the worker stops before the job ends, or the job is postponed. */
export async function markGivenBack(db: Db, job: ClaimedJob, runAt: number, reason?: string): Promise<boolean> {
  const given = reason === undefined ? {} : { last_error: reason }
  return markRunning(db, job, {
    status: 'ready',
    run_at: runAt,
    locked_until: null,
    attempts: job.attempts - 1,
    ...given,
  })
}

export async function markDead(db: Db, job: ClaimedJob, now: number, error: string): Promise<boolean> {
  return markRunning(db, job, { status: 'dead', finished_at: now, locked_until: null, last_error: error })
}

/**
 * After the clock was set back, corrects times that were written while it was ahead: a recurring job that is due later
 * than one period from now becomes due at once, and no claim ends later than a new one would.
 */
export async function pullIn(
  db: Db,
  { kind, now, every, lease }: { kind: string; now: number; every: number | undefined; lease: number },
): Promise<void> {
  const jobs = db.updateTable('jobs').where('kind', '=', kind)
  if (every !== undefined) {
    const rounds = jobs.where('key', '=', SCHEDULE).where(sql<boolean>`status = 'ready'`)
    await rounds
      .where('run_at', '>', now + every)
      .set({ run_at: now })
      .execute()
  }
  const claims = jobs.where(sql<boolean>`status = 'running'`).where('locked_until', '>', now + lease)
  await claims.set({ run_at: now, locked_until: now + lease }).execute()
}

interface RunningChange {
  status?: 'ready' | 'done' | 'dead'
  run_at?: number
  attempts?: number
  locked_until?: number | null
  last_error?: string | null
  finished_at?: number
}

async function markRunning(
  db: Db,
  { id, fence }: Pick<ClaimedJob, 'id' | 'fence'>,
  change: RunningChange,
): Promise<boolean> {
  const won = await db
    .updateTable('jobs')
    .set(change)
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('status', '=', 'running')
    .returning('id')
    .executeTakeFirst()
  return won !== undefined
}

interface ListedJob {
  id: string
  kind: string
  status: string
  attempts: number
  runAt: number
  lastError: string | null
}

export async function listJobs(db: Db, { status, limit }: { status?: string; limit: number }): Promise<ListedJob[]> {
  let query = db.selectFrom('jobs').select(['id', 'kind', 'status', 'attempts', 'run_at', 'last_error'])
  if (status !== undefined) query = query.where('status', '=', status as 'ready')
  const rows = await query.orderBy('run_at', 'desc').limit(limit).execute()
  return rows.map(({ run_at: runAt, last_error: lastError, ...row }) => ({ ...row, runAt, lastError }))
}

/** Makes a dead job ready again, with new attempts. False if there is no such dead job, or a job with the same key is already waiting. */
export async function retryDead(db: Db, id: string, now: number): Promise<boolean> {
  try {
    const won = await db
      .updateTable('jobs')
      .set({ status: 'ready', run_at: now, attempts: 0, finished_at: null })
      .where('id', '=', id)
      .where('status', '=', 'dead')
      .returning('id')
      .executeTakeFirst()
    return won !== undefined
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}

interface JobCount {
  kind: string
  status: string
  count: number
}

export async function countJobs(db: Db): Promise<JobCount[]> {
  const rows = await db
    .selectFrom('jobs')
    .select(({ fn }) => ['kind', 'status', fn.countAll().as('count')])
    .groupBy(['kind', 'status'])
    .execute()
  return rows.map(({ kind, status, count }) => ({ kind, status, count: Number(count) }))
}

/** Counts jobs that wait, run or are dead. A day's finished jobs would be too many to count every few seconds. */
export async function countUnfinished(db: Db): Promise<JobCount[]> {
  const counted = db.selectFrom('jobs').select(({ fn }) => ['kind', 'status', fn.countAll().as('count')])
  // Two queries, each of which can use its index.
  const open = counted.where(sql<boolean>`status in ('ready', 'running')`).groupBy(['kind', 'status'])
  const dead = counted.where(sql<boolean>`status = 'dead'`).groupBy(['kind', 'status'])
  const rows = [...(await open.execute()), ...(await dead.execute())]
  return rows.map(({ kind, status, count }) => ({ kind, status, count: Number(count) }))
}

export function deleteDone(db: Db, before: number, limit: number): Promise<number> {
  const where = sql<boolean>`status = 'done' and finished_at < ${before}`
  return deleteSome(db, { from: 'jobs', key: ['id'], where, limit })
}

/** Deletes dead jobs of kinds that may be lost, and dead runs of recurring jobs. */
export async function deleteDead(
  db: Db,
  { before, kinds, limit }: { before: number; kinds: readonly string[]; limit: number },
): Promise<number> {
  const isHarmless = kinds.length === 0 ? sql`` : sql`or kind in (${sql.join(kinds)})`
  const where = sql<boolean>`status = 'dead' and finished_at < ${before} and (key = ${SCHEDULE} ${isHarmless})`
  return deleteSome(db, { from: 'jobs', key: ['id'], where, limit })
}

const HOUR = 3_600_000
const KEPT = 24 * HOUR

/** Deletes finished jobs after a day, during which people can see what happened; dead ones are kept longer. */
export const forgetDoneJobs = (
  { db, clock }: { db: Db; clock: Clock },
  jobs: readonly Pick<Job, 'kind' | 'money'>[],
  { keepDeadJobs }: Pick<Retention, 'keepDeadJobs'>,
): Job => ({
  kind: 'jobs.forget-done',
  everyMilliseconds: HOUR,
  async run(_payload, signal) {
    const now = clock.now()
    await inSteps((limit) => deleteDone(db, now - KEPT, limit), signal)
    if (keepDeadJobs === undefined) return
    const kinds = jobs.filter(({ money }) => money !== true).map(({ kind }) => kind)
    await inSteps((limit) => deleteDead(db, { before: now - keepDeadJobs, kinds, limit }), signal)
  },
})
