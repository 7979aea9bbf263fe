import { type Raw, formatNano } from '../../kernel/money.ts'
import { toPaymentUri } from '../../kernel/nano/payment-uri.ts'
import type { Json, JsonObject } from '../../kernel/shape.ts'
import type { CheckoutPorts } from './ports.ts'
import type { Opened } from './domain/open.ts'
import type { Checkout, Plan } from './record.ts'

const toUnix = (milliseconds: number) => Math.floor(milliseconds / 1000)
/** Fields only for checkouts that a public key made, from which a receiver sees whether someone else may have chosen the address. */
export const showMaker = ({ madeWith, keyId }: Pick<Checkout, 'madeWith' | 'keyId'>): JsonObject =>
  madeWith === null ? {} : { made_with: 'public_key', key_id: keyId, key_bound: madeWith === 'bound_key' }

const orNothing = <T extends Json>(name: string, value: T | null) => (value === null ? {} : { [name]: value })

/** What is still to be paid: every amount shown derives from this one number. */
export function amountToPay({ amountRaw, paidRaw, mode }: Checkout): bigint | undefined {
  if (amountRaw === undefined) return undefined
  if (mode === 'unique_amount') return amountRaw
  return amountRaw > paidRaw ? amountRaw - paidRaw : 0n
}

/** Undefined while the amount is unknown: a payment could not be matched. */
export function paymentLink(checkout: Checkout): string | undefined {
  const due = amountToPay(checkout)
  const isGift = checkout.mode !== 'unique_amount' && checkout.price === null && checkout.plans.length === 0
  if (due === undefined && !isGift) return undefined
  return toPaymentUri({
    address: checkout.address,
    // The link names no amount for a donation, where the payer types one, nor once everything is paid.
    ...(due !== undefined && due > 0n && { amount: due as Checkout['amountRaw'] }),
  })
}

/** The payment link and its QR code; until there is one, the QR code leads to the page. */
function toPay(ports: CheckoutPorts, checkout: Checkout): JsonObject {
  const link = paymentLink(checkout)
  return { ...(link !== undefined && { link }), qrcode: ports.qrPng(link ?? ports.links.pay(checkout.id)) }
}

const amounts = ({ amountRaw }: Pick<Plan, 'amountRaw'>): JsonObject =>
  amountRaw === undefined ? {} : { amount: formatNano(amountRaw), amount_raw: amountRaw.toString() }

export function fiat(checkout: Checkout): JsonObject {
  if (checkout.currency === 'NANO') return { currency: 'NANO' }
  return {
    currency: checkout.currency,
    ...orNothing('fiat_amount', priceShown(checkout)),
    note: `Converted to nano when the page is opened; a quote lives 15 minutes.`,
  }
}

/** The merchant's price, or the one the payer chose. */
export const priceShown = (checkout: Checkout) => planOf(checkout)?.value ?? checkout.price ?? checkout.chosen

function links(ports: CheckoutPorts, { id }: Checkout): JsonObject {
  return { browser: ports.links.pay(id), check: ports.links.check(id), json: ports.links.record(id) }
}

export function showPlans(ports: CheckoutPorts, checkout: Checkout): JsonObject {
  if (checkout.plans.length === 0) return {}
  const plans = checkout.plans.map((plan): JsonObject => {
    const link = plan.amountRaw && toPaymentUri({ address: checkout.address, amount: plan.amountRaw })
    const amount =
      plan.amountRaw === undefined
        ? { value: plan.value }
        : { value: formatNano(plan.amountRaw), value_raw: plan.amountRaw.toString() }
    return {
      title: plan.title,
      ...amount,
      ...(checkout.currency !== 'NANO' && { fiat_amount: plan.value }),
      discount: plan.discount,
      ...(link !== undefined && { link }),
      qrcode: ports.qrPng(link ?? ports.links.pay(checkout.id)),
    }
  })
  return { plans }
}

/** The response to the maker of a checkout (contract 2, Checkout response). */
export function toResponse(ports: CheckoutPorts, { checkout, rate, webhookSecret }: Opened): JsonObject {
  return {
    id: checkout.id,
    ...links(ports, checkout),
    address: checkout.address,
    ...amounts(checkout),
    ...(checkout.currency !== 'NANO' && fiat(checkout)),
    ...(rate && { rate: rate.rate, rate_source: rate.source }),
    ...showPlans(ports, checkout),
    ...toPay(ports, checkout),
    mode: checkout.mode,
    status: checkout.status,
    expires_unix: toUnix(checkout.expiresAt),
    ...(webhookSecret !== undefined && { webhook_secret: webhookSecret }),
    ...invoiceUrl(ports, checkout),
  }
}

export const invoiceUrl = (ports: CheckoutPorts, { id, invoice }: Checkout): JsonObject =>
  invoice === null ? {} : { invoice_url: `${ports.links.pay(id)}/invoice` }

const planOf = ({ plan, plans }: Checkout): Plan | undefined => (plan === null ? undefined : plans[plan])

/** The amount asked for: with several plans, that of the first until one is bought. For a donation it is the amount given. */
export const askedRaw = (checkout: Checkout): Raw | undefined =>
  planOf(checkout)?.amountRaw ?? checkout.amountRaw ?? (checkout.status === 'complete' ? checkout.paidRaw : undefined)

/** What was paid beyond the amount asked for. */
export function excessOf(checkout: Checkout): bigint {
  const asked = askedRaw(checkout)
  return checkout.status === 'complete' && asked !== undefined && checkout.paidRaw > asked
    ? checkout.paidRaw - asked
    : 0n
}

export function excess(checkout: Checkout): JsonObject {
  const raw = excessOf(checkout)
  return raw === 0n ? {} : { amount_excess: formatNano(raw), amount_excess_raw: raw.toString() }
}

export function boughtPlan(checkout: Checkout): JsonObject {
  const bought = planOf(checkout)
  if (!bought) return {}
  const amountRaw = bought.amountRaw
  const value =
    amountRaw === undefined
      ? { value: bought.value }
      : { value: formatNano(amountRaw), value_raw: amountRaw.toString() }
  return { plan: { title: bought.title, ...value, discount: bought.discount } }
}
