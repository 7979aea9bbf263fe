import { badField } from '../../../kernel/errors.ts'
import { formatNano, parseNano, toRaw } from '../../../kernel/money.ts'
import { type JsonObject, textOf } from '../../../kernel/shape.ts'
import { formatFiat, parseFiat } from '../../checkout/index.ts'
import { type LinkInvoice, toInvoice } from '../link-invoice.ts'
import { secretContext } from '../tables.ts'
import type { LinkRoom } from '../room.ts'
import type { PaymentLink } from '../store.ts'

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

interface OfferedPlan {
  title: string
  value: string
  discount: number | false
}

export const plansOf = ({ fields }: PaymentLink) => (fields.plans ?? []) as unknown as OfferedPlan[]
export const invoiceOf = ({ fields }: PaymentLink) => fields.invoice as unknown as LinkInvoice | undefined
export const currencyOf = ({ fields }: PaymentLink) => textOf(fields.currency)
/** Whether the payer decides the amount. */
export const isGift = (link: PaymentLink) => link.fields.amount === undefined && plansOf(link).length === 0

/** The fields of the checkout for a choice. */
export function toOrderBody({ secrets }: LinkRoom, link: PaymentLink, chosen: Chosen): JsonObject {
  const { id, slug, fields, soldMax } = link
  const { quantity } = chosen
  const plan = chosen.plan === undefined ? undefined : plansOf(link)[chosen.plan]
  const currency = currencyOf(link)
  const title = typeof fields.title === 'string' ? fields.title : undefined
  const bought = { id, slug, quantity, ...(plan && { plan: plan.title }) }
  const piece = plan?.value ?? (isGift(link) ? chosen.amount! : textOf(fields.amount))
  const invoice = invoiceOf(link)
  // An invoice is for one amount: the chosen plan becomes the price, and its name part of the title.
  const asPlan = plan && !invoice
  const price = asPlan
    ? { plans: [{ ...plan, title: counted(plan.title, quantity), value: times(plan.value, quantity, currency) }] }
    : { amount: times(piece, quantity, currency) }
  const named = plan && invoice ? `${title ?? slug} · ${plan.title}` : title
  return {
    ...fields,
    plans: null,
    ...price,
    ...(named !== undefined && { title: asPlan ? named : counted(named, quantity) }),
    ...(invoice && {
      invoice: toInvoice(invoice, { currency, title: named ?? slug, price: piece, quantity, buyer: chosen.buyer }),
    }),
    metadata: { ...(fields.metadata as JsonObject | undefined), payment_link: bought },
    expire: fields.expire ?? (soldMax === null ? LEISURE : HOLD),
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
