import type { Db } from '../../kernel/tables/index.ts'

/** What a client means by "the same request again". */
export interface RepeatKey {
  accountId: string
  action: string
  key: string
}

/** A request that was seen: still running, or finished with an answer. `createdAt` is also the fence of its claim. */
interface SeenRequest {
  fingerprint: string
  status: 'started' | 'finished'
  answer: string | null
  createdAt: number
  expiresAt: number
}

/** Nothing → started; false when the key is known already. */
export async function insertStarted(
  db: Db,
  { accountId, action, key }: RepeatKey,
  { fingerprint, now, expiresAt }: { fingerprint: string; now: number; expiresAt: number },
): Promise<boolean> {
  const row = await db
    .insertInto('idempotency')
    .values({
      account_id: accountId,
      action,
      key,
      fingerprint,
      status: 'started',
      answer: null,
      created_at: now,
      expires_at: expiresAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  return row !== undefined
}

export async function findSeenRequest(db: Db, key: RepeatKey): Promise<SeenRequest | undefined> {
  const row = await db
    .selectFrom('idempotency')
    .select(['fingerprint', 'status', 'answer', 'created_at', 'expires_at'])
    .where('account_id', '=', key.accountId)
    .where('action', '=', key.action)
    .where('key', '=', key.key)
    .executeTakeFirst()
  if (!row) return undefined
  const { created_at: createdAt, expires_at: expiresAt, ...rest } = row
  return { ...rest, createdAt, expiresAt }
}

/** A claim whose process died, or an answer past its time → started anew; false when somebody else was first. */
export async function markTakenOver(
  db: Db,
  { accountId, action, key }: RepeatKey,
  was: SeenRequest,
  { fingerprint, now, expiresAt }: { fingerprint: string; now: number; expiresAt: number },
): Promise<boolean> {
  const row = await db
    .updateTable('idempotency')
    .set({ fingerprint, status: 'started', answer: null, created_at: now, expires_at: expiresAt })
    .where('account_id', '=', accountId)
    .where('action', '=', action)
    .where('key', '=', key)
    .where('status', '=', was.status)
    .where('created_at', '=', was.createdAt)
    .returning('key')
    .executeTakeFirst()
  return row !== undefined
}

/** Started → finished; false when the claim was taken over meanwhile. */
export async function markFinished(
  db: Db,
  { accountId, action, key }: RepeatKey,
  { startedAt, answer, expiresAt }: { startedAt: number; answer: string; expiresAt: number },
): Promise<boolean> {
  const row = await db
    .updateTable('idempotency')
    .set({ status: 'finished', answer, expires_at: expiresAt })
    .where('account_id', '=', accountId)
    .where('action', '=', action)
    .where('key', '=', key)
    .where('status', '=', 'started')
    .where('created_at', '=', startedAt)
    .returning('key')
    .executeTakeFirst()
  return row !== undefined
}

/** Started → nothing: the key is free again. */
export async function deleteStarted(db: Db, { accountId, action, key }: RepeatKey, startedAt: number): Promise<void> {
  await db
    .deleteFrom('idempotency')
    .where('account_id', '=', accountId)
    .where('action', '=', action)
    .where('key', '=', key)
    .where('status', '=', 'started')
    .where('created_at', '=', startedAt)
    .execute()
}

export async function deleteExpiredAnswers(db: Db, now: number): Promise<void> {
  await db.deleteFrom('idempotency').where('expires_at', '<=', now).execute()
}
