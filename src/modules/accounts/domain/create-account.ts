import { type Actor } from '../../../kernel/actor.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { emailTaken } from '../errors.ts'
import { insertMember } from '../people/members-store.ts'
import { USUAL } from '../standing.ts'
import { type Account, insertAccount, insertAudit } from '../store.ts'

interface NewAccount {
  /** Given only where the id itself makes the account unique. */
  id?: string
  email: string | null
  role: Account['role']
  actor: Actor
}

/** Makes an account. */
export async function createAccount(ctx: StoreCtx, input: NewAccount): Promise<Account> {
  try {
    return await inTx(ctx, (tx) => createAccountIn(tx, input))
  } catch (error) {
    throw isUniqueViolation(error) ? emailTaken() : error
  }
}

/** The same inside a transaction that already runs. */
export async function createAccountIn(
  ctx: StoreCtx,
  { id = ctx.ids.next('acc'), email, role, actor }: NewAccount,
): Promise<Account> {
  // Kept in small letters: the engines disagree about the small form of letters beyond ASCII.
  const kept = email === null ? null : email.toLowerCase()
  const account: Account = { id, email: kept, role, createdAt: ctx.clock.now(), standing: USUAL, mailLinks: false }
  await insertAccount(ctx.db, account)
  await insertOwner(ctx, account)
  await insertAudit(ctx, { actor, accountId: account.id, what: 'account.created', detail: { role } })
  return account
}

/** Who owns an account from its beginning: the address it was made for. One without an address belongs to who has its key. */
export async function insertOwner({ db, clock, ids }: StoreCtx, { id: accountId, email }: Account): Promise<void> {
  if (email === null) return
  const now = clock.now()
  const member = { id: ids.next('mem'), accountId, email, role: 'owner' as const }
  await insertMember(db, { ...member, invitedBy: null, invitedAt: now, expiresAt: null, joinedAt: now })
}
