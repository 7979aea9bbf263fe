import { RAW_MAX, RAW_PER_NANO, type Raw, toRaw } from '../../../kernel/money.ts'
import { RATE_DECIMALS, parseRate } from '../../../kernel/rates.ts'
import { SMALLEST_PRICE } from './amounts.ts'

export { formatFiat, worthAt } from '../../../kernel/rates.ts'

const FIAT = /^(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,8})?$/

/** A price in units of 10^-8 of a currency; undefined when the text is not a valid price. */
export function parseFiat(text: string): bigint | undefined {
  return FIAT.test(text) ? toScaled(text, 8) : undefined
}

/** A fiat price in nano, rounded up to an amount people can type; undefined for an invalid rate or more nano than exists. */
export function toNanoAt(e8: bigint, rate: string): Raw | undefined {
  const scaled = parseRate(rate)
  if (scaled === undefined) return undefined
  const raw = divideUp(e8 * RAW_PER_NANO * 10n ** BigInt(RATE_DECIMALS - 8), scaled)
  const rounded = divideUp(raw, SMALLEST_PRICE) * SMALLEST_PRICE
  // Today's rate may lift an old price above the whole supply; callers get undefined instead of an exception.
  return rounded > RAW_MAX ? undefined : toRaw(rounded)
}

/** How many decimals prices of a currency are shown with. */
export const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2

function toScaled(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}
