import { type Actor, actorOf } from '../../../kernel/actor.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { emailTaken } from '../errors.ts'
import { insertMember } from '../people/members-store.ts'
import { USUAL } from '../standing.ts'
import { type Account, findAdministrator, insertAccount, insertAudit } from '../store.ts'
import { UNLIMITED, issueKeyIn } from './keys.ts'

interface NewAccount {
  /** Set if the id must be the same on all instances. */
  id?: string
  email: string | null
  role: Account['role']
  actor: Actor
}

export async function createAccount(ctx: StoreCtx, input: NewAccount): Promise<Account> {
  try {
    return await inTx(ctx, (tx) => createAccountIn(tx, input))
  } catch (error) {
    throw isUniqueViolation(error) ? emailTaken() : error
  }
}

/** The same inside a running transaction. */
export async function createAccountIn(
  ctx: StoreCtx,
  { id = ctx.ids.next('acc'), email, role, actor }: NewAccount,
): Promise<Account> {
  // Stored in lower case, because the engines differ in lowering letters beyond ASCII.
  const kept = email === null ? null : email.toLowerCase()
  const account: Account = { id, email: kept, role, createdAt: ctx.clock.now(), standing: USUAL, mailLinks: false }
  await insertAccount(ctx.db, account)
  await insertOwner(ctx, account)
  await insertAudit(ctx, { actor, accountId: account.id, what: 'account.created', detail: { role } })
  return account
}

/** Adds the owner of a new account: the address it was made for. An account without an address belongs to the holder of its key. */
export async function insertOwner({ db, clock, ids }: StoreCtx, { id: accountId, email }: Account): Promise<void> {
  if (email === null) return
  const now = clock.now()
  const member = { id: ids.next('mem'), accountId, email, role: 'owner' as const }
  await insertMember(db, { ...member, invitedBy: null, invitedAt: now, expiresAt: null, joinedAt: now })
}

/** The same id on every instance, so that of two instances that start at once only one makes an administrator. */
const FIRST_ID = 'acc_administrator'

/**
 * Makes the administrator of a new store, with a first key; undefined if there is one already. The key is saved before
 * it becomes valid, so that a gateway that dies in between cannot lose it. If several gateways save a key at once, the
 * last saved one is valid.
 */
export async function createFirstAdministrator(
  ctx: StoreCtx,
  keep: (key: string) => void = () => {},
): Promise<string | undefined> {
  try {
    return await inTx(ctx, async (tx) => {
      if (await findAdministrator(tx.db)) return undefined
      const account = await createAccountIn(tx, {
        id: FIRST_ID,
        email: null,
        role: 'admin',
        actor: actorOf.service('system'),
      })
      const made = { id: tx.ids.next('key'), kind: 'secret' as const, granted: UNLIMITED }
      const named = { accountId: account.id, name: 'First administrator key', actor: actorOf.service('system') }
      const { text } = await issueKeyIn(tx, { ...made, ...named })
      keep(text)
      return text
    })
  } catch (error) {
    if (isUniqueViolation(error)) return undefined
    throw error
  }
}
