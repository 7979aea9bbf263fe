import { inTx } from '../../../kernel/in-tx.ts'
import type { ChangedOwn, SaidOf } from '../../../kernel/resource/routes.ts'
import { insertAudit } from '../../accounts/index.ts'
import { linkNotFound } from '../errors.ts'
import { type PaymentLink, type paymentLink, paymentLinks } from '../payment-link.ts'
import type { LinkContext } from '../context.ts'
import { checkOrders, getLink, toTerms } from './make-link.ts'

/** Changes a link; open checkouts keep the terms they were made with. */
export async function changeLink(
  context: LinkContext,
  own: ChangedOwn,
  said: SaidOf<typeof paymentLink.fields>,
): Promise<PaymentLink> {
  const { checkouts: ctx } = context
  const change = (held: PaymentLink): PaymentLink => {
    const { slug: _fixed, ...terms } = toTerms(context, held.id, said(held))
    // Without a period, the grace days have no meaning.
    const grace = terms.every === null && { graceDays: 0 }
    return { ...held, ...terms, ...grace, updatedAt: ctx.clock.now() }
  }
  // Outside of the transaction, because the gateway must ask the network whether a host may get webhooks.
  await checkOrders(context, change(await getLink(context, own)))
  return inTx(ctx, async (tx) => {
    const held = await paymentLinks.lock(tx.db, own)
    if (!held) throw linkNotFound()
    const changed = change(held)
    await paymentLinks.update(tx.db, changed)
    await insertAudit(tx, { actor: own.actor, accountId: own.owner, what: 'link.changed', detail: { id: own.id } })
    return changed
  })
}

/** Deletes a link. Its slug stays taken, because payers may still have it; its open checkouts can still be paid. */
export async function deleteLink({ checkouts: ctx }: LinkContext, { id, owner, actor }: ChangedOwn): Promise<void> {
  await inTx(ctx, async (tx) => {
    if (!(await paymentLinks.remove(tx.db, { id, owner, now: tx.clock.now() }))) throw linkNotFound()
    await insertAudit(tx, { actor, accountId: owner, what: 'link.deleted', detail: { id } })
  })
}
