import { RAW_MAX, type Raw, parseNano, parseRaw } from '../money.ts'

/** A configured price: in raw, or in a currency to be converted. */
export type Price = { raw: Raw } | { currency: string; value: string }

const DECIMAL = /^[0-9]{1,12}(?:\.[0-9]{1,18})?$/

/** Reads `0.001 nano`, `1000000 raw` or `0.01 USD`; undefined when it is not a price or is zero. */
export function parsePrice(text: string): Price | undefined {
  const [value = '', unit = '', ...rest] = text.trim().split(/\s+/)
  if (rest.length > 0) return undefined
  if (/^(nano|xno|raw)$/i.test(unit)) {
    const raw = unit.toLowerCase() === 'raw' ? parseRaw(value) : parseNano(value)
    return raw === undefined || raw === 0n ? undefined : { raw }
  }
  if (!/^[A-Za-z]{3}$/.test(unit) || !DECIMAL.test(value) || Number(value) === 0) return undefined
  return { currency: unit.toUpperCase(), value }
}

/** Digits of a converted price. With more digits every quote would be a different number. */
const SIGNIFICANT_DIGITS = 6

/**
 * The amount in raw worth `value` of a currency, if one nano costs `rate` of it, rounded up to six digits, so that it
 * is never below the price. Undefined if the rate is invalid.
 */
export function convertPrice(value: string, rate: string): Raw | undefined {
  const cost = toFraction(value)
  const unit = toFraction(rate)
  if (!cost || !unit || unit.digits === 0n) return undefined
  const dividend = cost.digits * unit.scale * 10n ** 30n
  const divisor = unit.digits * cost.scale
  const exact = (dividend + divisor - 1n) / divisor
  const step = 10n ** BigInt(Math.max(0, exact.toString().length - SIGNIFICANT_DIGITS))
  const amount = ((exact + step - 1n) / step) * step
  return amount > 0n && amount <= RAW_MAX ? (amount as Raw) : undefined
}

/** A decimal number as two integers. */
function toFraction(text: string): { digits: bigint; scale: bigint } | undefined {
  if (!DECIMAL.test(text)) return undefined
  const [whole = '', fraction = ''] = text.split('.')
  return { digits: BigInt(whole + fraction), scale: 10n ** BigInt(fraction.length) }
}
