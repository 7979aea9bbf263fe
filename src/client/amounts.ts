import { formatNano, parseNano, parseRaw, toPlainDecimal } from '../kernel/money.ts'
import type { ActionFacts } from './action-facts.ts'
import { GatewayError } from './gateway-error.ts'

const noAmount = (given: unknown, unit: string, field?: string) =>
  new GatewayError(`Not an amount in ${unit}: ${String(given)}`, { code: 'invalid_amount', field })

const TOO_FINE = /\.\d{31}/

/** A text with more decimals than the ledger has is refused, because rounding would change what is paid. */
export function requireExact(text: string, field: string): void {
  if (!TOO_FINE.test(text)) return
  throw new GatewayError(`${field} has more than 30 decimals: ${text}`, { code: 'invalid_amount', field })
}

/** An amount of nano in raw, exactly: `raw('1.5')` is 1500000000000000000000000000000n. An error names the field. */
export function raw(nano: string | number, field = 'amount'): bigint {
  const text = toPlainDecimal(String(nano))
  requireExact(text, field)
  const amount = parseNano(text)
  if (amount === undefined) throw noAmount(nano, 'nano', field)
  return amount
}

/** An amount of raw in nano, exactly and without trailing zeros: `nano(10n ** 30n)` is `1`. */
export function nano(raw: bigint | string): string {
  const amount = typeof raw === 'bigint' ? raw : parseRaw(raw)
  if (amount === undefined) throw noAmount(raw, 'raw')
  return formatNano(amount)
}

/** Fields in the form in which they are sent: a bigint is raw, and is converted to the unit of its field. */
export function toWire(fields: Readonly<Record<string, unknown>>, units: ActionFacts['units'] = {}): string {
  const written = Object.entries(fields).map(([name, value]): [string, unknown] => {
    if (typeof value === 'string' && units[name] === 'nano') requireExact(toPlainDecimal(value), name)
    if (typeof value !== 'bigint') return [name, value]
    if (value < 0n || units[name] === undefined) throw noAmount(value, `${units[name] ?? 'any unit'} for ${name}`, name)
    return [name, units[name] === 'nano' ? formatNano(value) : value.toString()]
  })
  return JSON.stringify(Object.fromEntries(written))
}

/** Lets `JSON.stringify` write amounts in raw as text, as the API does; it throws for a bigint otherwise. */
export function withJson<Value extends object>(value: Value): Value {
  return Object.defineProperty(value, 'toJSON', { value: writeBigints, configurable: true })
}

const writeBigint = (value: unknown) => (typeof value === 'bigint' ? value.toString() : value)

function writeBigints(this: object): unknown {
  if (Array.isArray(this)) return this.map(writeBigint)
  return Object.fromEntries(Object.entries(this).map(([name, value]) => [name, writeBigint(value)]))
}

/** Converts the amounts in raw of an answer to bigint. Changes the given object, which no other code uses. */
export function withBigints(answer: unknown, places: readonly string[] = []): unknown {
  const held = { answer }
  for (const place of places) convert(held, ['answer', ...place.split('.')])
  return held.answer
}

function convert(holder: unknown, [step, ...rest]: string[]): void {
  if (typeof holder !== 'object' || holder === null || Array.isArray(holder) !== (step === '[]')) return
  const members = holder as Record<string, unknown>
  for (const name of step === '*' || step === '[]' ? Object.keys(members) : [step!]) {
    const member = members[name]
    if (rest.length > 0) convert(member, rest)
    else if (typeof member === 'string') members[name] = parseRaw(member) ?? member
    if (typeof members[name] === 'bigint') withJson(members)
  }
}
