import { actorOf } from '../../../kernel/actor.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { ProvedBy } from '../../../kernel/route.ts'
import { type Place, placeFor } from '../people/membership.ts'
import { insertAudit } from '../store.ts'

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
