import type { Actor } from '../../../kernel/actor.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { listMembers } from '../people/members-store.ts'
import { labelOf, mailPerson } from '../people/mails.ts'
import { findPayout, savePayout } from '../profile-store.ts'
import { insertAudit, lockAccount } from '../store.ts'

/**
 * Sets the address that is paid by checkouts that name none. Existing checkouts keep the address that they were made
 * with. Every owner gets a mail, so that nobody can redirect a shop's money unnoticed.
 */
export function setPayout(
  ctx: StoreCtx,
  { accountId, actor, address }: { accountId: string; actor: Actor; address: string },
): Promise<void> {
  return inTx(ctx, async (tx) => {
    // Locked, so that the activity log records what each change replaced.
    await lockAccount(tx.db, accountId)
    const before = await findPayout(tx.db, accountId)
    if (before === address) return
    await savePayout(tx.db, accountId, address, tx.clock.now())
    await insertAudit(tx, { actor, accountId, what: 'payout.changed', detail: { before, address } })
    const label = await labelOf(tx, accountId)
    for (const { email, role, joinedAt } of await listMembers(tx.db, accountId)) {
      if (role !== 'owner' || joinedAt === null) continue
      await mailPerson(tx, { email }, 'Where your money goes has changed', [
        `New payments to “${label}” now go to`,
        '',
        address,
        '',
        before === null
          ? 'No address was set before.'
          : `Before, they went to ${before}. Payments that are open already still go there.`,
        'If none of you has changed this, sign in, set your address again, and check who has access.',
      ])
    }
  })
}
