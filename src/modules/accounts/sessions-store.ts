import { sql } from 'kysely'
import { STEP_ROWS, deleteSome } from '../../kernel/retention.ts'
import type { Db } from '../../kernel/db.ts'

export async function findSessionSecret(db: Db, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('session_secrets').select('secret').where('id', '=', id).executeTakeFirst()
  return row?.secret
}

/** Replaces a secret that cannot be decrypted, unless another process was faster. */
export async function replaceSessionSecret(
  db: Db,
  { id, unreadable, secret, now }: { id: string; unreadable: string; secret: string; now: number },
): Promise<void> {
  await db
    .updateTable('session_secrets')
    .set({ secret, created_at: now })
    .where('id', '=', id)
    .where('secret', '=', unreadable)
    .execute()
}

/** Keeps the first secret of each name. */
export async function insertSessionSecret(
  db: Db,
  { id, secret, createdAt }: { id: string; secret: string; createdAt: number },
): Promise<void> {
  await db
    .insertInto('session_secrets')
    .values({ id, secret, created_at: createdAt })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export function deleteOldSecrets(db: Db, createdBefore: number, limit = STEP_ROWS): Promise<number> {
  return deleteSome(db, { from: 'session_secrets', key: ['id'], where: sql`created_at < ${createdBefore}`, limit })
}

/** Safe to repeat. */
export async function insertEndedSession(db: Db, id: string, expiresAt: number): Promise<void> {
  await db
    .insertInto('ended_sessions')
    .values({ id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export async function isSessionEnded(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('ended_sessions').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

export function deleteOldEndedSessions(db: Db, expiredBefore: number, limit = STEP_ROWS): Promise<number> {
  return deleteSome(db, { from: 'ended_sessions', key: ['id'], where: sql`expires_at < ${expiredBefore}`, limit })
}
