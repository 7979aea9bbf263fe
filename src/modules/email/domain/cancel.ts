import { type Actor } from '../../../kernel/actor.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { insertAudit } from '../../accounts/index.ts'
import type { EmailRoom } from '../room.ts'
import { emailPaymentNotFound, emailPaymentOver } from '../errors.ts'
import { type EmailPayment, findOwnPayment, markCancelled } from '../store.ts'
import { followPayment } from './follow.ts'
import { tellPages } from './tell.ts'

/**
 * Ends a payment at its owner's wish: what was claimed stays claimed, everything else goes to the refund address. The fee
 * of a funded payment is spent, because its mails are.
 */
export async function cancelEmailPayment(
  ctx: EmailRoom,
  { id, accountId, actor }: { id: string; accountId: string; actor: Actor },
): Promise<EmailPayment> {
  const { db } = ctx.store
  const was = await inTx(ctx.store, async (tx) => {
    const status = await markCancelled(tx.db, { id, accountId, now: tx.clock.now() })
    if (status !== undefined) await insertAudit(tx, { actor, accountId, what: 'email.cancelled', detail: { id } })
    return status
  })
  const payment = await findOwnPayment(db, accountId, id)
  if (!payment) throw emailPaymentNotFound()
  if (was === undefined) throw emailPaymentOver(payment.status)
  tellPages(ctx.store, payment)
  // Decided; what fails now is done by the job.
  await followPayment(ctx, id).catch(ctx.store.failures.failed('email.follow', { paymentId: id }))
  return (await findOwnPayment(db, accountId, id))!
}
