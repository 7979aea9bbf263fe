import { ANONYMOUS } from '../record.ts'
import type { Caller } from '../../../kernel/ctx.ts'
import { type CheckoutContext } from '../context.ts'
import { badField, checkoutNotFound, notForPublicKeys } from '../errors.ts'
import { findOwnCheckout } from '../store.ts'
import { secretContext } from '../secret-context.ts'
import { readPrice } from '../price-fields.ts'
import { type CheckoutRequest, readPlans } from '../wire-fields.ts'
import { madeWithOf } from './admit.ts'

/** The fields of one of the account's checkouts, with what an order may change about it (contract 2, rules 18 and 19). */
export async function fromTemplate(
  ctx: CheckoutContext,
  caller: Caller,
  asked: CheckoutRequest,
): Promise<CheckoutRequest> {
  const owner = ownerOf(caller)
  const template = await findOwnCheckout(ctx.db, { id: asked.template!, owner })
  if (!template) throw checkoutNotFound({ field: 'template' })
  // This template was made before public keys lost this mode.
  if (madeWithOf(caller) && template.mode === 'unique_address' && template.madeWith) throw notForPublicKeys('template')
  const fixed = (field: string) => badField(field, `${field} comes from the template.`)
  if (asked.address !== undefined && asked.address !== template.merchantAddress) throw fixed('address')
  if (asked.plans.length > 0) throw fixed('plans')
  const { priceField, priceIn, currency = template.currency, mode = template.mode, modeField } = asked.order!
  // An order must not turn a price of 10 EUR into 10 nano.
  if (currency !== template.currency) throw fixed('currency')
  if (mode !== template.mode) throw fixed(modeField)
  const { barePrice = template.barePrice, webhookProof = template.webhookProof } = asked
  // Where payments are summed, the price has no tail.
  if (mode === 'unique_amount' && barePrice !== template.barePrice) throw fixed('random')
  const ownPrice = priceIn(currency, template.price)
  if (ownPrice !== undefined && template.plans.length > 0) throw fixed(priceField)
  if (webhookProof !== template.webhookProof) throw fixed('webhook_proof')
  const events = asked.webhookEvents ?? []
  if (events.length > 0 && events.join() !== template.webhookEvents.join()) throw fixed('webhook_events')
  const encrypted = template.webhookSecret
  const webhookSecret = encrypted && ctx.ports.secrets.open(secretContext(template.id), encrypted)
  const saved = { ...template, webhookSecret }
  const overridden = ['image', 'successUrl', 'cancelUrl', 'webhookUrl', 'webhookSecret', 'notify'] as const
  for (const name of overridden) {
    if (asked[name] && asked[name] !== saved[name])
      throw fixed(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  }
  return {
    address: template.merchantAddress,
    currency,
    price: ownPrice ?? readPrice('amount', template.price, currency),
    plans: readPlans(
      template.plans.map(({ title, value, discount }) => ({ title, value, discount })),
      currency,
    ),
    mode,
    template: template.id,
    order: undefined,
    barePrice: template.barePrice,
    title: asked.title ?? template.title,
    description: asked.description ?? template.description,
    image: template.image,
    successUrl: template.successUrl,
    cancelUrl: template.cancelUrl,
    webhookUrl: template.webhookUrl,
    webhookSecret,
    webhookEvents: template.webhookEvents,
    webhookProof,
    notify: template.notify,
    metadata: asked.metadata ?? template.metadata,
    note: asked.note ?? null,
    invoice: asked.invoice ?? null,
    buyer: asked.buyer,
    ...(asked.lifetimeMilliseconds !== undefined && { lifetimeMilliseconds: asked.lifetimeMilliseconds }),
  }
}

export const ownerOf = (caller: Caller) => (caller.kind === 'account' ? caller.accountId : ANONYMOUS)
