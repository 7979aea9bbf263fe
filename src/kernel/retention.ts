import { type RawBuilder, SqliteAdapter, sql } from 'kysely'
import type { Tables } from './db.ts'
import type { Db } from './db.ts'
import { type ValuesOf, setting, whole } from './setting.ts'

const DAY = 86_400_000

/** How long something is kept, in milliseconds; undefined is for ever. */
const days = (minimum: number) => (value: string) =>
  value === 'forever' ? undefined : whole(minimum, 36_500)(value) * DAY

/**
 * What is kept how long: the one table of it. Money needs none of this any more; what it needs is kept for ever, whatever
 * these say (decision 72).
 */
export const RETENTION_SETTINGS = {
  keepUnpaid: setting(
    'KEEP_UNPAID_DAYS',
    '30',
    days(1),
    'Days to keep unpaid checkouts made without a key, unpaid offers of the service and expired swaps made without a key, from when payments for them no longer count; `forever` never deletes.',
  ),
  keepEventBodies: setting(
    'KEEP_EVENT_BODIES_DAYS',
    '30',
    days(7),
    'Days to keep the bodies of events; those still being delivered stay; `forever` never deletes.',
  ),
  keepEvents: setting(
    'KEEP_EVENTS_DAYS',
    '90',
    days(7),
    'Days to keep events and their deliveries; those still being delivered stay; `forever` never deletes.',
  ),
  keepMails: setting(
    'KEEP_MAILS_DAYS',
    '30',
    days(1),
    'Days to keep mail that was stored instead of sent; `forever` never deletes.',
  ),
  keepEmailAddresses: setting(
    'KEEP_EMAIL_ADDRESSES_DAYS',
    '90',
    days(1),
    'Days from the end of an email payment until its names, texts and addresses are blanked; amounts stay; `forever` never blanks.',
  ),
  keepNotify: setting(
    'KEEP_NOTIFY_DAYS',
    'forever',
    days(1),
    'Days until `notify` of finished checkouts is blanked, including checkouts used as templates; `forever` never blanks.',
  ),
  keepVisitors: setting(
    'KEEP_VISITORS_DAYS',
    '7',
    days(2),
    'Days to keep the fingerprints of visitors who ordered through a payment link, which limit orders per visitor and day; `forever` never blanks.',
  ),
  keepRequests: setting(
    'KEEP_REQUESTS_DAYS',
    '1',
    days(1),
    'Days to keep the request log of accounts; `forever` never deletes.',
  ),
  keepDeadJobs: setting(
    'KEEP_DEAD_JOBS_DAYS',
    '30',
    days(1),
    'Days to keep jobs that failed for good; those that money waits for stay until they are retried; `forever` never deletes.',
  ),
} as const

export type Retention = ValuesOf<typeof RETENTION_SETTINGS>

/** Rows that one step takes: other writers wait for one step, never for all of them. */
export const STEP_ROWS = 500
/** Steps of one round; what is left over is for the next. */
const STEPS_MAX = 2_000

/** Repeats a step until it finds less than it may take, or the process stops. Each is a transaction of its own: what is done stays done. */
export async function inSteps(step: (limit: number) => Promise<number>, signal: AbortSignal): Promise<void> {
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    if (signal.aborted || (await step(STEP_ROWS)) < STEP_ROWS) return
  }
}

/**
 * Deletes some of the rows that meet a condition; answers how many. It is asked twice: PostgreSQL looks again at a row that
 * somebody has changed meanwhile, and only at what stands outside.
 */
export async function deleteSome<T extends keyof Tables>(
  db: Db,
  {
    from,
    key,
    where,
    limit,
  }: { from: T; key: readonly (keyof Tables[T] & string)[]; where: RawBuilder<boolean>; limit: number },
): Promise<number> {
  // SQLite finds keys of several columns by the first of them, which many rows may share; it has a number for each row.
  const isNumbered = db.getExecutor().adapter instanceof SqliteAdapter
  const keys = isNumbered ? sql`rowid` : sql.join(key.map((column) => sql.ref(column)))
  // The second time it decides nothing but whether a row is still old: SQLite would else go through all that are, for a few keys.
  const { numAffectedRows = 0n } = await sql`delete from ${sql.table(from)}
    where (${keys}) in (select ${keys} from ${sql.table(from)} where ${where} limit ${sql.lit(limit)})
      and (${where}) is true`.execute(db)
  return Number(numAffectedRows)
}
