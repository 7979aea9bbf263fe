import { sql } from 'kysely'
import { STEP_ROWS, deleteSome } from '../../kernel/retention.ts'
import type { Db } from '../../kernel/db.ts'

/** Identifies a client's request, so that a repetition is recognised. */
export interface RepeatKey {
  accountId: string
  action: string
  key: string
}

/** A known request, either still running or finished with an answer. */
interface SeenRequest {
  fingerprint: string
  status: 'started' | 'finished'
  answer: string | null
  /** Identifies the run; a run may write only while the row still has its claim. */
  claim: string | null
  leaseUntil: number
  expiresAt: number
}

interface NewRun {
  fingerprint: string
  claim: string
  now: number
  leaseUntil: number
  expiresAt: number
}

/** Gateways of the previous version wrote no lease; none of their requests runs longer than this. */
const RUNS_WITHOUT_LEASE = 10 * 60_000

const toRow = ({ fingerprint, claim, now, leaseUntil, expiresAt }: NewRun) => ({
  fingerprint,
  status: 'started' as const,
  answer: null,
  claim,
  lease_until: leaseUntil,
  created_at: now,
  expires_at: expiresAt,
})

/** Starts a new request; false when the key is known already. */
export async function insertStarted(db: Db, { accountId, action, key }: RepeatKey, run: NewRun): Promise<boolean> {
  const row = await db
    .insertInto('idempotency')
    .values({ account_id: accountId, action, key, ...toRow(run), made: null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  return row !== undefined
}

export async function findSeenRequest(db: Db, key: RepeatKey): Promise<SeenRequest | undefined> {
  const row = await db
    .selectFrom('idempotency')
    .select(['fingerprint', 'status', 'answer', 'claim', 'lease_until', 'created_at', 'expires_at'])
    .where('account_id', '=', key.accountId)
    .where('action', '=', key.action)
    .where('key', '=', key.key)
    .executeTakeFirst()
  if (!row) return undefined
  const { created_at: createdAt, expires_at: expiresAt, lease_until: leaseUntil, ...rest } = row
  return { ...rest, leaseUntil: leaseUntil ?? createdAt + RUNS_WITHOUT_LEASE, expiresAt }
}

/**
 * Restarts a dead run, or a request whose answer has expired; undefined when another was first, or the run turned out to be alive. What the
 * dead run has made is read here and not before, because it may have been recorded since the last read.
 */
export async function markTakenOver(
  db: Db,
  { accountId, action, key }: RepeatKey,
  was: SeenRequest,
  { isNew, ...run }: NewRun & { isNew: boolean },
): Promise<{ made: string | null } | undefined> {
  return db
    .updateTable('idempotency')
    .set({ ...toRow(run), ...(isNew && { made: null }) })
    .where('account_id', '=', accountId)
    .where('action', '=', action)
    .where('key', '=', key)
    .where('status', '=', was.status)
    .where('expires_at', '=', was.expiresAt)
    .where((where) => where.or([where('lease_until', 'is', null), where('lease_until', '=', was.leaseUntil)]))
    .where(({ eb }) => (was.claim === null ? eb('claim', 'is', null) : eb('claim', '=', was.claim)))
    .returning('made')
    .executeTakeFirst()
}

interface RunChange {
  status?: 'finished'
  answer?: string
  expires_at?: number
  lease_until?: number
  made?: string
}

/** Changes a run that still has its claim; false when another has taken it over. */
async function markRun(db: Db, { accountId, action, key }: RepeatKey, claim: string, change: RunChange) {
  const row = await db
    .updateTable('idempotency')
    .set(change)
    .where('account_id', '=', accountId)
    .where('action', '=', action)
    .where('key', '=', key)
    .where('status', '=', 'started')
    .where('claim', '=', claim)
    .returning('key')
    .executeTakeFirst()
  return row !== undefined
}

/** Stores the answer. */
export function markFinished(db: Db, key: RepeatKey, claim: string, answer: string, expiresAt: number) {
  return markRun(db, key, claim, { status: 'finished', answer, expires_at: expiresAt })
}

/** Extends the lease of a living run. */
export function renewLease(db: Db, key: RepeatKey, claim: string, leaseUntil: number): Promise<boolean> {
  return markRun(db, key, claim, { lease_until: leaseUntil })
}

/** Records what a run makes, in the transaction that makes it. */
export function recordMade(db: Db, key: RepeatKey, claim: string, made: string): Promise<boolean> {
  return markRun(db, key, claim, { made })
}

/** Ends a failed run: its key may be used again where nothing was made; otherwise the next run finds what was made, without waiting. */
export async function markFailed(db: Db, key: RepeatKey, claim: string): Promise<void> {
  const { accountId, action, key: name } = key
  const freed = await db
    .deleteFrom('idempotency')
    .where('account_id', '=', accountId)
    .where('action', '=', action)
    .where('key', '=', name)
    .where('status', '=', 'started')
    .where('claim', '=', claim)
    .where('made', 'is', null)
    .returning('key')
    .executeTakeFirst()
  if (!freed) await markRun(db, key, claim, { lease_until: 0 })
}

export function deleteExpiredAnswers(db: Db, now: number, limit = STEP_ROWS): Promise<number> {
  const key = ['account_id', 'action', 'key'] as const
  return deleteSome(db, { from: 'idempotency', key, where: sql`expires_at <= ${now}`, limit })
}
