import { actorOf } from '../../../kernel/actor.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { ProvedBy } from '../../../kernel/route.ts'
import { createAccountIn, insertOwner } from '../domain/create-account.ts'
import { type Account, findAccount, findAccountByEmail, insertAudit } from '../store.ts'
import { hasOwner, listMembershipsOf } from './members-store.ts'
import type { Member } from './member.ts'

export interface Place {
  member: Member
  account: Account
}

/**
 * The accounts of an address in the order in which a sign-in chooses: active before suspended, memberships before invitations, its own account
 * before others. Call it in a transaction.
 */
export async function placesOf(ctx: StoreCtx, email: string): Promise<Place[]> {
  await healOwner(ctx, email)
  const members = await listMembershipsOf(ctx.db, email, ctx.clock.now())
  const places: Place[] = []
  for (const member of members) places.push({ member, account: (await findAccount(ctx.db, member.accountId))! })
  const rank = ({ member, account }: Place) =>
    Number(account.standing.suspendedAt !== null) * 4 +
    Number(member.joinedAt === null) * 2 +
    Number(account.email !== email)
  return places.sort((one, other) => rank(one) - rank(other))
}

/** The account that a sign-in opens. An address without one gets an account of its own, unless it is invited and may enter as a guest. */
export async function placeFor(ctx: StoreCtx, email: string, mayBeGuest: boolean): Promise<Place> {
  const places = await placesOf(ctx, email)
  const place = places.find(({ member }) => mayBeGuest || member.joinedAt !== null)
  if (place) return place
  await createAccountIn(ctx, { email, role: 'user', actor: actorOf.service('sign-in') })
  return (await placesOf(ctx, email)).find(({ member }) => member.joinedAt !== null)!
}

/** A gateway of the previous version on the same store makes accounts without an owner. */
async function healOwner(ctx: StoreCtx, email: string): Promise<void> {
  const account = await findAccountByEmail(ctx.db, email)
  if (account && !(await hasOwner(ctx.db, account.id))) await insertOwner(ctx, account)
}

interface Entering {
  by: ProvedBy
  /** Lets someone who is only invited sign in as a guest to accept or decline, without an account of their own. */
  mayBeGuest: boolean
  /** Uses up the credential and returns its address, or refuses. */
  whose(tx: StoreCtx): Promise<string>
}

/** Signs a person in, making the account at the first sign-in and using up the credential in the same transaction. */
export async function letIn(ctx: StoreCtx, entering: Entering): Promise<Place> {
  try {
    return await enter(ctx, entering)
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    // A concurrent sign-in of the same address made the account; it did not use up this credential.
    return enter(ctx, entering)
  }
}

function enter(ctx: StoreCtx, { by, mayBeGuest, whose }: Entering): Promise<Place> {
  return inTx(ctx, async (tx) => {
    const place = await placeFor(tx, await whose(tx), mayBeGuest)
    const { id, accountId, joinedAt } = place.member
    // A sign-in by someone who is only invited does not belong in the account's activity.
    if (joinedAt !== null)
      await insertAudit(tx, { actor: actorOf.person(id), accountId, what: 'account.signed-in', detail: { by } })
    return place
  })
}
