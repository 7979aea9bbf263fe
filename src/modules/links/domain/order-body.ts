import { badField } from '../../../kernel/errors.ts'
import { formatNano, parseNano, toRaw } from '../../../kernel/money.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { formatFiat, parseFiat } from '../../checkout/index.ts'
import { toInvoice } from '../link-invoice.ts'
import { secretContext } from '../tables.ts'
import type { LinkContext } from '../context.ts'
import type { PaymentLink } from '../payment-link.ts'

const TITLE_MAX = 120
/** Limited stock is held for a short time; an order of unlimited stock can be paid later. */
const HOLD = '15 minutes'
const LEISURE = '1 hour'

/** A visitor's choices. */
export interface Chosen {
  quantity: number
  /** Index of the plan. */
  plan: number | undefined
  /** Where the merchant set no price. */
  amount: string | undefined
  /** For the invoice, where the link has one. */
  buyer?: JsonObject | undefined
}

/** Whether the payer decides the amount. */
export const isGift = ({ amount, plans }: PaymentLink) => amount === null && plans.length === 0

/** The fields of the checkout for a choice. */
export function toOrderBody({ secrets }: LinkContext, link: PaymentLink, chosen: Chosen): JsonObject {
  const { id, slug, title, currency, invoice, amount, soldMax } = link
  const { quantity } = chosen
  const plan = chosen.plan === undefined ? undefined : link.plans[chosen.plan]
  const bought = { id, slug, quantity, ...(plan && { plan: plan.title }) }
  const piece = plan?.value ?? amount ?? chosen.amount!
  // An invoice is for one amount: the chosen plan becomes the price, and its name part of the title.
  const asPlan = plan && !invoice
  const price = asPlan
    ? { plans: [{ ...plan, title: counted(plan.title, quantity), value: times(plan.value, quantity, currency) }] }
    : { amount: times(piece, quantity, currency) }
  const named = plan && invoice ? `${title ?? slug} · ${plan.title}` : title
  return {
    address: link.address,
    currency,
    mode: link.mode,
    description: link.description,
    image: link.image,
    success_url: link.successUrl,
    cancel_url: link.cancelUrl,
    webhook_url: link.webhookUrl,
    webhook_events: link.webhookEvents,
    webhook_proof: link.webhookProof,
    notify: link.notify,
    note: link.note,
    ...price,
    ...(named !== null && { title: asPlan ? named : counted(named, quantity) }),
    ...(invoice && {
      invoice: toInvoice(invoice, { currency, title: named ?? slug, price: piece, quantity, buyer: chosen.buyer }),
    }),
    metadata: { ...link.metadata, payment_link: bought },
    expire: link.expire ?? (soldMax === null ? LEISURE : HOLD),
    ...(link.webhookSecret !== null && { webhook_secret: secrets.open(secretContext(id), link.webhookSecret) }),
  }
}

function counted(title: string, quantity: number): string {
  const times = quantity === 1 ? '' : ` × ${quantity}`
  return `${title.slice(0, TITLE_MAX - times.length)}${times}`
}

/** Exact, in the currency's own units. Prices with digits to fill can be bought only one at a time. */
function times(price: string, quantity: number, currency: string): string {
  if (quantity === 1) return price
  const units = currency === 'NANO' ? parseNano(price) : parseFiat(price)
  if (units === undefined) throw badField('quantity', 'quantity needs a price without X.')
  const all = units * BigInt(quantity)
  return currency === 'NANO' ? formatNano(toRaw(all)) : formatFiat(all)
}
