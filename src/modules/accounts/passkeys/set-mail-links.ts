import { type Actor } from '../../../kernel/actor.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { updateMailLinks } from '../standing-store.ts'
import { insertAudit } from '../store.ts'

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
