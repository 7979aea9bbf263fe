import { type Actor } from '../../../kernel/actor.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { accountNotFound, notSuspendable, notSuspended } from '../errors.ts'
import { markResumed, markSuspended } from '../standing-store.ts'
import { findAccount, insertAudit } from '../store.ts'

interface Word {
  accountId: string
  actor: Actor
  reason: string
}

/**
 * Lets an account rest: its keys and sessions open nothing, and what it has asked its wallets to send waits. Payments to its open
 * checkouts are recorded and told, its wallets receive, and nothing is deleted.
 */
export function suspendAccount(ctx: StoreCtx, { accountId, actor, reason }: Word): Promise<void> {
  return inTx(ctx, async (tx) => {
    if (!(await findAccount(tx.db, accountId))) throw accountNotFound()
    if (!(await markSuspended(tx.db, accountId, tx.clock.now()))) throw notSuspendable()
    await insertAudit(tx, { actor, accountId, what: 'account.suspended', detail: { reason } })
  })
}

export function resumeAccount(ctx: StoreCtx, { accountId, actor, reason }: Word): Promise<void> {
  return inTx(ctx, async (tx) => {
    if (!(await findAccount(tx.db, accountId))) throw accountNotFound()
    if (!(await markResumed(tx.db, accountId))) throw notSuspended()
    await insertAudit(tx, { actor, accountId, what: 'account.resumed', detail: { reason } })
  })
}
