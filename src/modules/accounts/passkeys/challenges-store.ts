import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { STEP_ROWS, deleteSome } from '../../../kernel/retention.ts'
import type { PasskeyChallengesTable } from '../tables.ts'

/** What a device is to sign, for whom and what for. */
export interface Challenge {
  hash: string
  purpose: PasskeyChallengesTable['purpose']
  boundTo: string
  userHandle: string | null
  expiresAt: number
}

export async function insertChallenge(db: Db, challenge: Challenge): Promise<void> {
  const { hash: challenge_hash, purpose, boundTo: bound_to, userHandle: user_handle, expiresAt: expires_at } = challenge
  await db
    .insertInto('passkey_challenges')
    .values({ challenge_hash, purpose, bound_to, user_handle, expires_at })
    .execute()
}

/** Who asks again needs what they had no more. */
export async function deleteChallengesOf(
  db: Db,
  { purpose, boundTo }: Pick<Challenge, 'purpose' | 'boundTo'>,
): Promise<void> {
  await db.deleteFrom('passkey_challenges').where('bound_to', '=', boundTo).where('purpose', '=', purpose).execute()
}

/** Takes one out for good: whoever brings it back second has none. */
export async function takeChallenge(
  db: Db,
  { hash, purpose, boundTo, now }: Pick<Challenge, 'hash' | 'purpose' | 'boundTo'> & { now: number },
): Promise<Pick<Challenge, 'userHandle'> | undefined> {
  const row = await db
    .deleteFrom('passkey_challenges')
    .where('challenge_hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('bound_to', '=', boundTo)
    .where('expires_at', '>', now)
    .returning('user_handle')
    .executeTakeFirst()
  return row && { userHandle: row.user_handle }
}

export function deleteOldChallenges(db: Db, expiredBefore: number, limit = STEP_ROWS): Promise<number> {
  return deleteSome(db, {
    from: 'passkey_challenges',
    key: ['challenge_hash'],
    where: sql`expires_at < ${expiredBefore}`,
    limit,
  })
}
