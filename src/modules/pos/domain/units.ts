import { formatNano, parseNano, toRaw, RAW_MAX } from '../../../kernel/money.ts'
import { decimalsOf as fiatDecimals, formatFiat, parseFiat } from '../../checkout/index.ts'

/* Prices as whole numbers: raw, or 10^-8 of a currency. */

const NANO_SCALE = 30
const FIAT_SCALE = 8
/** Smaller parts of a nano are not typed at a till. */
const NANO_DECIMALS = 6

/** How many decimals prices of a currency have here. */
export function decimalsOf(currency: string): number {
  if (currency === 'NANO') return NANO_DECIMALS
  return fiatDecimals(currency)
}

export const parseUnits = (currency: string, text: string): bigint | undefined =>
  currency === 'NANO' ? parseNano(text) : parseFiat(text)

/** Undefined for more than all nano that exists. */
export function formatUnits(currency: string, units: bigint): string | undefined {
  if (currency !== 'NANO') return formatFiat(units)
  return units > RAW_MAX ? undefined : formatNano(toRaw(units))
}

/** A percentage of a price, rounded to the nearest coin. */
export function tipOn(currency: string, units: bigint, percent: number): bigint {
  const scale = currency === 'NANO' ? NANO_SCALE : FIAT_SCALE
  const coin = 10n ** BigInt(scale - decimalsOf(currency))
  return ((units * BigInt(percent) * 2n + coin * 100n) / (coin * 200n)) * coin
}
