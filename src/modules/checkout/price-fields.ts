import { RAW_MAX, type Raw, formatNano, parseNano, toPlainDecimal, toRaw } from '../../kernel/money.ts'
import { given } from '../../kernel/shown-fields.ts'
import { SMALLEST_PRICE, hasWildcards } from './domain/amounts.ts'
import { formatFiat, parseFiat } from './domain/fiat.ts'
import { badField } from './errors.ts'

/** A price as it was given: an amount of nano, one with digits to fill, or money of a state. */
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
    // Some way to fill the digits must give a price.
    const most = parseNano(text.replaceAll('X', '9'))
    if (most === undefined || most < SMALLEST_PRICE) throw bad('The smallest price is 0.000001 nano.')
    return { kind: 'wildcards', text }
  }
  const raw = parseNano(text)
  if (raw === undefined) throw bad('Invalid amount number')
  if (raw < SMALLEST_PRICE) throw bad('The smallest price is 0.000001 nano.')
  return { kind: 'nano', text, raw }
}

/** The price, or what the items of an order come to. */
export function readTotal(body: Body, currency: string): Price | undefined {
  return readPrice('amount', body.amount, currency) ?? sumItems(body, currency)
}

/**
 * Items and shipping as one price, exactly. Items are `{price, quantity?}`; shipping is a price, or an object with one. A
 * client that only asks for the payer's address says so in other ways, which cost nothing.
 */
function sumItems({ line_items: items, shipping }: Body, currency: string): Price | undefined {
  const listed = given(items) ?? []
  if (!Array.isArray(listed) || listed.length > ITEMS_MAX) {
    throw badField('line_items', `line_items must be a list of up to ${ITEMS_MAX} items.`)
  }
  const costs = listed.map((item: unknown, at) => {
    const field = `line_items[${at}]`
    if (typeof item !== 'object' || item === null) throw badField(field, 'An item is an object.')
    const { price, value, amount, quantity, qty } = item as Body
    const cost = readCost(`${field}.price`, price ?? value ?? amount, currency)
    if (cost === undefined) throw badField(`${field}.price`, 'An item needs a price.', 'invalid_amount')
    return cost * readQuantity(`${field}.quantity`, quantity ?? qty)
  })
  const asked = typeof shipping === 'object' && shipping !== null ? (shipping as Body).price : shipping
  const delivery = typeof asked === 'boolean' ? undefined : readCost('shipping', asked, currency)
  if (costs.length === 0) return undefined
  const sum = costs.reduce((total, cost) => total + cost, delivery ?? 0n)
  const text = currency === 'NANO' ? sum <= RAW_MAX && formatNano(toRaw(sum)) : formatFiat(sum)
  if (text === false)
    throw badField('line_items', 'The items cost more than the total supply of nano.', 'invalid_amount')
  return readPrice('line_items', text, currency)
}

/** In raw, or in 10^-8 of a currency. Something in an order may be free. */
function readCost(field: string, value: unknown, currency: string): bigint | undefined {
  if (value === undefined || value === null || value === '') return undefined
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

/** A JSON number counts as the decimal it prints as, as long as it has not lost digits on its way. */
export function toDecimalText(value: unknown): string | undefined {
  if (typeof value === 'string') return toPlainDecimal(value.trim())
  if (typeof value !== 'number') return undefined
  const text = toPlainDecimal(String(value))
  if (!/^-?[0-9]+(\.[0-9]+)?$/.test(text)) return undefined
  return text.replace('.', '').replace(/^0+/, '').length <= SIGNIFICANT_DIGITS_MAX ? text : undefined
}
