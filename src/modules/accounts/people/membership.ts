import { actorOf } from '../../../kernel/actor.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { ProvedBy } from '../../../kernel/route.ts'
import { createAccountIn, insertOwner } from '../domain/create-account.ts'
import { type Account, findAccount, findAccountByEmail, insertAudit } from '../store.ts'
import { type Member, hasOwner, listMembershipsOf } from './members-store.ts'

export interface Place {
  member: Member
  account: Account
}

/**
 * Where an address belongs, in the order in which a sign-in chooses: at work before suspended, where it is before where it is
 * invited, its own account before those of others. Call it in a transaction.
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

/** The place that a sign-in leads to. Who is nowhere gets an account of their own; who is only invited does not need one yet. */
export async function placeFor(ctx: StoreCtx, email: string, mayBeGuest: boolean): Promise<Place> {
  const places = await placesOf(ctx, email)
  const place = places.find(({ member }) => mayBeGuest || member.joinedAt !== null)
  if (place) return place
  await createAccountIn(ctx, { email, role: 'user', actor: actorOf.service('sign-in') })
  return (await placesOf(ctx, email)).find(({ member }) => member.joinedAt !== null)!
}

/** A gateway of the version before, beside us on the same store, makes accounts without an owner. */
async function healOwner(ctx: StoreCtx, email: string): Promise<void> {
  const account = await findAccountByEmail(ctx.db, email)
  if (account && !(await hasOwner(ctx.db, account.id))) await insertOwner(ctx, account)
}

interface Entering {
  by: ProvedBy
  /** Somebody who is invited, and nowhere else, comes in to say yes or no, and needs no account of their own. */
  mayBeGuest: boolean
  /** Uses up what lets them in and answers whose it was, or refuses. */
  whose(tx: StoreCtx): Promise<string>
}

/** Lets a person in to their place, which is made at the first sign-in, and uses up what they came with in the same transaction. */
export async function letIn(ctx: StoreCtx, entering: Entering): Promise<Place> {
  try {
    return await enter(ctx, entering)
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    // Another sign-in of the same address made the account a moment ago; this one was not used up by that.
    return enter(ctx, entering)
  }
}

function enter(ctx: StoreCtx, { by, mayBeGuest, whose }: Entering): Promise<Place> {
  return inTx(ctx, async (tx) => {
    const place = await placeFor(tx, await whose(tx), mayBeGuest)
    const { id, accountId, joinedAt } = place.member
    // What happens in an account is no business of who was merely invited, nor the other way round.
    if (joinedAt !== null)
      await insertAudit(tx, { actor: actorOf.person(id), accountId, what: 'account.signed-in', detail: { by } })
    return place
  })
}
