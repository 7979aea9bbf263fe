import type { Actor } from '../../../kernel/actor.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { AccountCaller } from '../../../kernel/route.ts'
import { listMembershipsOf } from '../people/members-store.ts'
import { updateMailLinks } from '../standing.ts'
import { type Account, findAccount, insertAudit } from '../store.ts'
import { isNoPerson } from './errors.ts'
import { hasPasskey } from './store.ts'

/** Whom the operator wants to have a passkey. */
export type Required = 'none' | 'administrators' | 'members'

/** Whether the people of an account must have one. */
export const isRequired = (required: Required, { role }: Pick<Account, 'role'>): boolean =>
  required === 'members' || (required === 'administrators' && role === 'admin')

async function accountsOf({ db, clock }: StoreCtx, email: string): Promise<Account[]> {
  const accounts: Account[] = []
  for (const { accountId, joinedAt } of await listMembershipsOf(db, email, clock.now())) {
    if (joinedAt !== null) accounts.push((await findAccount(db, accountId))!)
  }
  return accounts
}

/** Whether an address belongs to an account whose people must have a passkey. */
export async function mustHave(ctx: StoreCtx, email: string, required: Required): Promise<boolean> {
  if (required !== 'administrators') return required === 'members'
  return (await accountsOf(ctx, email)).some((account) => isRequired(required, account))
}

/**
 * Whether a mail opens for an address: as long as it has no passkey, or where every account that it belongs to allows it. One that does
 * not is enough: who is in one account is a click away from the others.
 */
export async function isMailOpen(ctx: StoreCtx, email: string, required: Required): Promise<boolean> {
  if (!(await hasPasskey(ctx.db, email))) return true
  const accounts = await accountsOf(ctx, email)
  return accounts.length > 0 && accounts.every((account) => account.mailLinks && !isRequired(required, account))
}

interface MailLinks {
  accountId: string
  actor: Actor
  allowed: boolean
}

/** Says for an account whether its people may sign in by mail although they have passkeys. */
export function setMailLinks(ctx: StoreCtx, { accountId, actor, allowed }: MailLinks): Promise<void> {
  return inTx(ctx, async (tx) => {
    await updateMailLinks(tx.db, accountId, allowed)
    const what = allowed ? 'account.mail-links-allowed' : 'account.mail-links-closed'
    await insertAudit(tx, { actor, accountId, what, detail: {} })
  })
}

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
