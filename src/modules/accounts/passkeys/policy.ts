import type { Actor } from '../../../kernel/actor.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { AccountCaller } from '../../../kernel/route.ts'
import { listMembershipsOf } from '../people/members-store.ts'
import { updateMailLinks } from '../standing.ts'
import { type Account, findAccount, insertAudit } from '../store.ts'
import { isNoPerson } from './errors.ts'
import { hasPasskey } from './store.ts'

/** Who must have a passkey, set by the operator. */
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
 * Whether mail can sign in an address: while it has no passkey, or if every account it belongs to allows mail in addition. One account that
 * does not is enough to refuse, because a signed-in user can switch to all their accounts.
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

/** Sets whether an account's people may sign in by mail although they have passkeys. */
export function setMailLinks(ctx: StoreCtx, { accountId, actor, allowed }: MailLinks): Promise<void> {
  return inTx(ctx, async (tx) => {
    await updateMailLinks(tx.db, accountId, allowed)
    const what = allowed ? 'account.mail-links-allowed' : 'account.mail-links-closed'
    await insertAudit(tx, { actor, accountId, what, detail: {} })
  })
}

/** A user who is signed in as a person. */
export interface Person {
  email: string
  sessionId: string
  accountId: string
  actor: Actor
  /** Invited, but has not accepted. */
  isGuest: boolean
}

/** The person of a session; a session opened with a key has none. */
export function personOf({ accountId, actor, session, memberRole }: AccountCaller): Person {
  if (!session?.member) throw isNoPerson()
  return { email: session.member.email, sessionId: session.id, accountId, actor, isGuest: memberRole === 'guest' }
}

/** Records what a person did with their passkeys, in the account they are signed in to. Call it in the transaction of the change. */
export async function notePerson(
  tx: StoreCtx,
  { accountId, actor, isGuest }: Person,
  what: string,
  detail: Record<string, unknown>,
): Promise<void> {
  // Actions of someone who is only invited do not belong in the account's activity.
  if (!isGuest) await insertAudit(tx, { actor, accountId, what, detail })
}
