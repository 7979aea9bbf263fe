import { type Actor } from '../../../kernel/actor.ts'
import { badField } from '../../../kernel/errors.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { insertAudit } from '../../accounts/index.ts'
import { refuseUnproved } from '../../checkout/index.ts'
import { linkNotFound } from '../errors.ts'
import { readSlug, readTerms, toBody } from '../link-fields.ts'
import type { LinkRoom } from '../room.ts'
import { type PaymentLink, findOwnLink, lockLink, markDeleted, updateTerms } from '../store.ts'
import { currencyOf } from './order-body.ts'
import { checkOrders, sealSecret } from './make-link.ts'

interface Own {
  id: string
  owner: string
}

/** With the actor of the change. */
type Doing = Own & { actor: Actor }

type Body = Readonly<Record<string, unknown>>

export async function getLink({ checkouts: { db } }: LinkRoom, own: Own): Promise<PaymentLink> {
  const link = await findOwnLink(db, own)
  if (!link) throw linkNotFound()
  return link
}

/** Changes the fields in the body; open checkouts keep the terms they were made with. */
export async function changeLink(room: LinkRoom, own: Doing, body: Body): Promise<PaymentLink> {
  const { checkouts: ctx } = room
  const now = ctx.clock.now()
  const change = (link: PaymentLink): PaymentLink => {
    refuseUnproved(ctx.ports, body, link.fields.webhook_proof === true)
    // Without a period, the grace days have no meaning.
    const isEnded = body.every !== undefined && given(body.every) === undefined
    const terms = readTerms(ctx, { ...toBody(link), ...(isEnded && { grace_days: 0 }), ...body }, now)
    const isNewEnd = terms.endsAt !== link.endsAt && terms.endsAt !== null
    if (isNewEnd && terms.endsAt! <= now) throw badField('ends_unix', 'ends_unix is in the past.')
    const slug = readSlug(body.slug)
    // The slug is printed and shared, and the revenue is in one currency.
    if (slug !== undefined && slug !== link.slug) throw badField('slug', 'slug cannot be changed.')
    const webhookSecret =
      body.webhook_secret === undefined ? link.webhookSecret : sealSecret(room, link.id, body.webhook_secret)
    const changed = { ...link, ...terms, webhookSecret, updatedAt: now }
    if (currencyOf(changed) !== currencyOf(link)) throw badField('currency', 'currency cannot be changed.')
    return changed
  }
  // Outside of the transaction, because a username may have to be resolved.
  await checkOrders(room, change(await getLink(room, own)))
  return inTx(ctx, async (tx) => {
    const held = await lockLink(tx.db, own)
    if (!held) throw linkNotFound()
    const changed = change(held)
    await updateTerms(tx.db, changed)
    await insertAudit(tx, { actor: own.actor, accountId: own.owner, what: 'link.changed', detail: { id: own.id } })
    return changed
  })
}

/** Deletes a link. Its slug stays taken, because payers may still have it; its open checkouts can still be paid. */
export async function deleteLink({ checkouts: ctx }: LinkRoom, { id, owner, actor }: Doing): Promise<void> {
  await inTx(ctx, async (tx) => {
    if (!(await markDeleted(tx.db, { id, owner, now: tx.clock.now() }))) throw linkNotFound()
    await insertAudit(tx, { actor, accountId: owner, what: 'link.deleted', detail: { id } })
  })
}
