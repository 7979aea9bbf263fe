import { type RawBuilder, SqliteAdapter, sql } from 'kysely'
import type { Tables } from './db.ts'
import type { Db } from './db.ts'
import { type ValuesOf, setting, whole } from './setting.ts'

const DAY = 86_400_000

/** A retention time in milliseconds; undefined for ever. */
const days = (minimum: number) => (value: string) =>
  value === 'forever' ? undefined : whole(minimum, 36_500)(value) * DAY

/**
 * How long data is kept. Money depends on none of it: what money depends on is kept for ever, whatever these settings
 * say (decision 72).
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
    'Days to keep jobs that failed for good; those that hold up a payment stay until they are retried; `forever` never deletes.',
  ),
} as const

export type Retention = ValuesOf<typeof RETENTION_SETTINGS>

/** Most rows of one step, because other writers wait for a step. */
export const STEP_ROWS = 500
/** Most steps of one run; the next run continues. */
const STEPS_MAX = 2_000

/**
 * Repeats a step until it handles fewer rows than its limit, or the process stops. Each step is its own transaction, so
 * finished steps stay.
 */
export async function inSteps(step: (limit: number) => Promise<number>, signal: AbortSignal): Promise<void> {
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    if (signal.aborted || (await step(STEP_ROWS)) < STEP_ROWS) return
  }
}

/**
 * Deletes some of the rows that match a condition; returns how many. The statement contains the condition twice: if
 * another transaction has changed a row, PostgreSQL checks only the outer condition again.
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
  // With a key of several columns, SQLite would search only by the first column, which many rows may share. So the row
  // number is used.
  const isNumbered = db.getExecutor().adapter instanceof SqliteAdapter
  const keys = isNumbered ? sql`rowid` : sql.join(key.map((column) => sql.ref(column)))
  // Without `is true`, SQLite would search by the outer condition, and read all old rows to delete a few.
  const { numAffectedRows = 0n } = await sql`delete from ${sql.table(from)}
    where (${keys}) in (select ${keys} from ${sql.table(from)} where ${where} limit ${sql.lit(limit)})
      and (${where}) is true`.execute(db)
  return Number(numAffectedRows)
}
