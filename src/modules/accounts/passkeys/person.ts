import { type Actor } from '../../../kernel/actor.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { AccountCaller } from '../../../kernel/route.ts'
import { insertAudit } from '../store.ts'
import { isNoPerson } from './errors.ts'

/** Somebody who is signed in as themselves. */
export interface Person {
  email: string
  sessionId: string
  accountId: string
  actor: Actor
  /** Invited, and not there yet. */
  isGuest: boolean
}

/** A key is no person, and has no passkeys. */
export function personOf({ accountId, actor, session, memberRole }: AccountCaller): Person {
  if (!session?.member) throw isNoPerson()
  return { email: session.member.email, sessionId: session.id, accountId, actor, isGuest: memberRole === 'guest' }
}

/** Notes what somebody did about their passkeys where they are signed in. Call it in the transaction of it. */
export async function notePerson(
  tx: StoreCtx,
  { accountId, actor, isGuest }: Person,
  what: string,
  detail: Record<string, unknown>,
): Promise<void> {
  // What happens in an account is no business of who was merely invited, nor the other way round.
  if (!isGuest) await insertAudit(tx, { actor, accountId, what, detail })
}
