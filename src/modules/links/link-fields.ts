import { badField } from '../../kernel/errors.ts'
import { readFreeFlag } from '../../kernel/free-field.ts'
import type { Json, JsonObject } from '../../kernel/shape.ts'
import { given } from '../../kernel/shown-fields.ts'
import { type CheckoutRoom, readCheckout, readPrice } from '../checkout/index.ts'
import { checkLinkInvoice, readLinkInvoice } from './link-invoice.ts'
import type { PaymentLink } from './store.ts'
import { type Every, toEvery } from './subscriptions/periods.ts'

type Body = Readonly<Record<string, unknown>>

const QUANTITY_MAX = 1_000
const SUGGESTED_MAX = 6
const SOLD_MAX = 1_000_000
const GRACE_MAX = 30
const SLUG = /^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$/
const YEARS = 10 * 366 * 86_400_000
/** As stored; alternative spellings of a request are converted before. */
const TEXTS = ['title', 'description', 'image', 'success_url', 'cancel_url', 'webhook_url', 'notify', 'note'] as const
type Terms = Pick<
  PaymentLink,
  'fields' | 'quantityMin' | 'quantityMax' | 'suggested' | 'soldMax' | 'endsAt' | 'every' | 'graceDays' | 'isPaused'
>

/** Reads all terms of a link and names the first wrong one. */
export function readTerms({ ports }: CheckoutRoom, body: Body, now: number): Terms {
  const rules = { currencies: ports.prices.currencies, plainHttpAllowed: ports.rules.plainHttpAllowed }
  // A checkout's invoice is for one order, a link's for all of them, so it is read separately.
  const request = readCheckout({ ...body, template: undefined, invoice: undefined }, rules)
  const { address, currency, price, plans, mode } = request
  if (mode === 'unique_address') {
    throw badField('mode', 'A link makes many checkouts at once: its mode is unique_amount or generated_wallet.')
  }
  const hasPrice = price !== undefined || plans.length > 0
  const quantity = readQuantity(body.quantity)
  const isFilled = price?.kind === 'wildcards' || plans.some((plan) => plan.price.kind === 'wildcards')
  if (quantity.max > 1 && (!hasPrice || isFilled)) throw badField('quantity', 'quantity needs a price without X.')
  const soldMax = readWholeNumber('sold_max', body.sold_max, SOLD_MAX)
  const every = readEvery(body.every)
  if (every !== null && (!hasPrice || isFilled)) throw badField('every', 'every needs a price without X.')
  if (every !== null && quantity.max > 1) throw badField('quantity', 'A subscription is for one piece.')
  if (every !== null && soldMax !== null) throw badField('sold_max', 'A subscription has no number of pieces.')
  const invoice = readLinkInvoice(body.invoice)
  if (invoice) checkLinkInvoice(invoice, { isOnePrice: price !== undefined && plans.length === 0, isFilled })
  const texts = TEXTS.flatMap((name): [string, Json][] => {
    const value = name === 'webhook_url' ? (body.webhook_url ?? body.webhook) : body[name]
    return given(value) === undefined ? [] : [[name, value as string]]
  })
  return {
    fields: {
      ...Object.fromEntries(texts),
      ...(request.title && { title: request.title }),
      ...(address !== undefined && { address }),
      currency,
      mode,
      ...(price && { amount: price.text }),
      ...(plans.length > 0 && {
        plans: plans.map(({ title, price: value, discount }) => ({ title, value: value.text, discount })),
      }),
      ...(request.metadata && { metadata: request.metadata }),
      ...(request.webhookEvents && { webhook_events: request.webhookEvents }),
      ...(request.webhookProof && { webhook_proof: true }),
      ...(given(body.expire) !== undefined && { expire: body.expire as string }),
      ...(invoice && { invoice: { ...invoice } }),
    },
    quantityMin: quantity.min,
    quantityMax: quantity.max,
    suggested: readSuggested(body.suggested, { currency, hasPrice }),
    soldMax,
    endsAt: readEnd(body.ends_unix, now),
    every,
    graceDays: readGrace(body.grace_days, every),
    isPaused: readFreeFlag('paused', body.paused) ?? false,
  }
}

/** The terms of a link in the form of a request, so that a change can be merged and validated as a whole. */
export function toBody({
  fields,
  quantityMin,
  quantityMax,
  suggested,
  soldMax,
  endsAt,
  every,
  graceDays,
  isPaused,
}: PaymentLink): JsonObject {
  return {
    ...fields,
    quantity: { min: quantityMin, max: quantityMax },
    suggested,
    sold_max: soldMax,
    ends_unix: endsAt === null ? null : Math.floor(endsAt / 1000),
    every,
    grace_days: graceDays,
    paused: isPaused,
  }
}

function readEvery(value: unknown): Every | null {
  if (given(value) === undefined) return null
  const every = toEvery(value)
  if (every === undefined) throw badField('every', 'every must be month, year, or a number of days from 1 to 366.')
  return every
}

function readGrace(value: unknown, every: Every | null): number {
  const text = typeof value === 'string' ? value.trim() : (given(value) ?? 0)
  const days = text === 0 || text === '0' || text === '' ? 0 : readWholeNumber('grace_days', text, GRACE_MAX)!
  if (days > 0 && every === null) throw badField('grace_days', 'grace_days only works with every.')
  return days
}

export function readSlug(value: unknown): string | undefined {
  const slug = given(value)
  if (slug === undefined) return undefined
  const text = typeof slug === 'string' ? slug.trim().toLowerCase() : ''
  if (!SLUG.test(text)) throw badField('slug', 'slug must be 3 to 40 letters, digits and dashes, such as blue-mug.')
  return text
}

function readWholeNumber(field: string, value: unknown, max: number): number | null {
  const number = given(value)
  if (number === undefined) return null
  const text = typeof number === 'number' || typeof number === 'string' ? String(number).trim() : ''
  if (!/^[1-9][0-9]{0,9}$/.test(text) || Number(text) > max) {
    throw badField(field, `${field} must be a whole number from 1 to ${max}.`)
  }
  return Number(text)
}

function readQuantity(value: unknown): { min: number; max: number } {
  const quantity = given(value)
  if (quantity === undefined) return { min: 1, max: 1 }
  if (typeof quantity !== 'object' || quantity === null || Array.isArray(quantity)) {
    throw badField('quantity', 'quantity must be an object with min and max.')
  }
  const { min: least, max: most } = quantity as Body
  const min = readWholeNumber('quantity', least, QUANTITY_MAX) ?? 1
  const max = readWholeNumber('quantity', most, QUANTITY_MAX) ?? QUANTITY_MAX
  if (min > max) throw badField('quantity', 'The smallest quantity is larger than the largest.')
  return { min, max }
}

function readSuggested(value: unknown, { currency, hasPrice }: { currency: string; hasPrice: boolean }): string[] {
  const suggested = given(value) ?? []
  if (!Array.isArray(suggested) || suggested.length > SUGGESTED_MAX) {
    throw badField('suggested', `suggested must be a list of up to ${SUGGESTED_MAX} amounts.`)
  }
  if (suggested.length > 0 && hasPrice) throw badField('suggested', 'suggested is for links without a price.')
  return suggested.map((amount: unknown) => {
    const price = readPrice('suggested', amount, currency)
    if (!price || price.kind === 'wildcards') throw badField('suggested', 'Invalid amount number', 'invalid_amount')
    return price.text
  })
}

/** Whether it is in the future is checked only for a new value. */
function readEnd(value: unknown, now: number): number | null {
  const end = given(value)
  if (end === undefined) return null
  const text = typeof end === 'number' || typeof end === 'string' ? String(end).trim() : ''
  const at = /^[0-9]{1,12}$/.test(text) ? Number(text) * 1000 : Number.NaN
  if (!(at > 0 && at < now + YEARS)) throw badField('ends_unix', 'ends_unix must be a time of the next ten years.')
  return at
}
