import { RAW_MAX, type Raw, formatNano, parseNano, toPlainDecimal, toRaw } from '../../kernel/money.ts'
import { given } from '../../kernel/shown-fields.ts'
import { SMALLEST_PRICE, hasWildcards } from './domain/amounts.ts'
import { formatFiat, parseFiat } from './domain/fiat.ts'
import { badField } from './errors.ts'

/** A price as it was given: an amount of nano, an amount with digits to fill, or an amount of another currency. */
export type Price =
  | { kind: 'nano'; text: string; raw: Raw }
  | { kind: 'wildcards'; text: string }
  | { kind: 'fiat'; text: string; e8: bigint }

type Body = Readonly<Record<string, unknown>>

const SIGNIFICANT_DIGITS_MAX = 15
const ITEMS_MAX = 100

export function readPrice(field: string, value: unknown, currency: string): Price | undefined {
  if (given(value) === undefined) return undefined
  const bad = (text: string) => badField(field, text, 'invalid_amount')
  const text = toDecimalText(value)
  if (text === undefined) throw bad('Invalid amount number')
  if (currency !== 'NANO') {
    const e8 = parseFiat(text)
    if (e8 === undefined || e8 === 0n) throw bad('Invalid amount number')
    return { kind: 'fiat', text, e8 }
  }
  if (hasWildcards(text)) {
    // The largest filling of the digits must be a valid price, otherwise none is.
    const most = parseNano(text.replaceAll('X', '9'))
    if (most === undefined || most < SMALLEST_PRICE) throw bad('The smallest price is 0.000001 nano.')
    return { kind: 'wildcards', text }
  }
  const raw = parseNano(text)
  if (raw === undefined) throw bad('Invalid amount number')
  if (raw < SMALLEST_PRICE) throw bad('The smallest price is 0.000001 nano.')
  return { kind: 'nano', text, raw }
}

/** The given price, or the total of items and shipping; without items, shipping is added to the template's price. */
export function readTotal(body: Body, currency: string, template?: string | null): Price | undefined {
  const sum = sumItems(body, currency, template)
  return readPrice('amount', body.amount, currency) ?? sum
}

/** The field that sets the price of an order. */
export const priceFieldOf = ({ amount, line_items: items }: Body) =>
  given(amount) !== undefined ? 'amount' : given(items) !== undefined ? 'line_items' : 'shipping'

/** Sums items and shipping exactly. An invalid item is refused even where an `amount` makes the sum unnecessary. */
function sumItems(
  { amount, line_items: items, shipping, plans }: Body,
  currency: string,
  template: string | null | undefined,
): Price | undefined {
  const listed = given(items) ?? []
  if (!Array.isArray(listed) || listed.length > ITEMS_MAX) {
    throw badField('line_items', `line_items must be a list of up to ${ITEMS_MAX} items.`)
  }
  const costs = listed.map((item: unknown, at) => {
    const field = `line_items[${at}]`
    const { quantity, qty } = isRecord(item) ? item : ({} as Body)
    return readCost(field, item, currency) * readQuantity(`${field}.quantity`, quantity ?? qty)
  })
  const delivery = given(shipping) === undefined ? 0n : readCost('shipping', shipping, currency)
  if (given(amount) !== undefined || (costs.length === 0 && delivery === 0n)) return undefined
  const refuse = (text: string) => badField('shipping', text, 'invalid_amount')
  if (costs.length === 0) {
    if (given(plans) !== undefined) throw refuse('shipping cannot be added to plans.')
    if (template && hasWildcards(template)) throw refuse('shipping cannot be added to an amount with X digits.')
    if (template) costs.push(readCost('template', template, currency))
  }
  const sum = costs.reduce((total, cost) => total + cost, delivery)
  const field = listed.length > 0 ? 'line_items' : 'shipping'
  const text = currency === 'NANO' ? sum <= RAW_MAX && formatNano(toRaw(sum)) : formatFiat(sum)
  if (text === false) throw badField(field, 'The items cost more than the total supply of nano.', 'invalid_amount')
  return readPrice(field, text, currency)
}

const COST_NAMES = ['price', 'value', 'amount', 'cost'] as const

const isRecord = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

/** In raw, or in 10^-8 of a currency. Zero is allowed, because an item of an order may be free. */
function readCost(field: string, value: unknown, currency: string): bigint {
  if (isRecord(value)) {
    const named = COST_NAMES.filter((name) => given(value[name]) !== undefined)
    const costs = named.map((name) => readCost(`${field}.${name}`, value[name], currency))
    const [cost] = costs
    if (cost === undefined) throw badField(`${field}.price`, 'A price is required here.', 'invalid_amount')
    if (costs.some((other) => other !== cost)) throw badField(`${field}.${named[1]}`, 'Two different prices are given.')
    return cost
  }
  const text = toDecimalText(value)
  const cost = text === undefined ? undefined : currency === 'NANO' ? parseNano(text) : parseFiat(text)
  if (cost === undefined) throw badField(field, 'Invalid amount number', 'invalid_amount')
  return cost
}

function readQuantity(field: string, value: unknown): bigint {
  if (given(value) === undefined) return 1n
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : ''
  if (!/^[1-9][0-9]{0,5}$/.test(text)) throw badField(field, 'quantity must be a whole number from 1.')
  return BigInt(text)
}

/** A JSON number counts as the decimal it prints as, unless parsing it has lost digits. */
export function toDecimalText(value: unknown): string | undefined {
  if (typeof value === 'string') return toPlainDecimal(value.trim())
  if (typeof value !== 'number') return undefined
  const text = toPlainDecimal(String(value))
  if (!/^-?[0-9]+(\.[0-9]+)?$/.test(text)) return undefined
  return text.replace('.', '').replace(/^0+/, '').length <= SIGNIFICANT_DIGITS_MAX ? text : undefined
}
