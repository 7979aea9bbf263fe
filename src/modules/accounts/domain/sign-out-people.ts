import { type Actor } from '../../../kernel/actor.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { accountNotFound } from '../errors.ts'
import { updateSignedOut } from '../standing-store.ts'
import { findAccount, insertAudit } from '../store.ts'

/** Ends every session of an account that has begun. Its keys stay. */
export function signOutPeople(ctx: StoreCtx, { accountId, actor }: { accountId: string; actor: Actor }): Promise<void> {
  return inTx(ctx, async (tx) => {
    if (!(await findAccount(tx.db, accountId))) throw accountNotFound()
    await updateSignedOut(tx.db, accountId, tx.clock.now())
    await insertAudit(tx, { actor, accountId, what: 'account.signed-out', detail: {} })
  })
}
