import { inTx } from '../../../kernel/in-tx.ts'
import type { EmailRoom } from '../room.ts'
import { claimedAlready } from '../errors.ts'
import { findRecipient, insertSuppression, markDeclined } from '../recipients-store.ts'
import { lockOpenPayment } from '../store.ts'
import { openShare } from './claim.ts'
import { tellSender } from './tell.ts'

/** Its recipient wants neither the money nor further mails: the share goes back, and the address is written to no more. */
export async function declineShare(ctx: EmailRoom, token: string): Promise<void> {
  const { payment, recipient } = await openShare(ctx, token)
  if (recipient.status === 'claimed') throw claimedAlready()
  await inTx(ctx.store, async (tx) => {
    const now = tx.clock.now()
    const open = await lockOpenPayment(tx.db, payment.id, now)
    const won = open !== undefined && (await markDeclined(tx.db, recipient.id, now))
    if (won) await tellSender(tx, payment, { kind: 'declined', recipientId: recipient.id })
    // The claim was faster: what was claimed is not declined, and its claimant wants further mails.
    else if ((await findRecipient(tx.db, recipient.id))?.status === 'claimed') throw claimedAlready()
    if (recipient.emailHash !== null) await insertSuppression(tx.db, recipient.emailHash, now)
  })
}
