import { badField } from '../errors.ts'
import { decimalsOf } from '../domain/fiat.ts'
import { toDecimalText } from '../price-fields.ts'

const PERCENT = /^(?:100|[1-9]?[0-9](?:\.[0-9]{1,3})?)$/
/** A whole in thousandths of a percent. */
export const WHOLE = 100_000n

/** A tax as it is entered: in percent of the price without taxes, or as an amount. */
export type TypedTax = { title: string } & ({ amount: string } | { percent: string })

export function readPercent(field: string, value: unknown): string {
  const text = toDecimalText(value)
  if (text !== undefined && PERCENT.test(text)) return text
  throw badField(field, `${field} must be a percentage such as 20 or 5.5.`, 'invalid_amount')
}

/** In thousandths of a percent. */
export function toThousandths(percent: string): bigint {
  const [whole = '', fraction = ''] = percent.split('.')
  return BigInt(whole + fraction.padEnd(3, '0'))
}

/** A part of an amount in raw or in 10^-8 of a currency, rounded as its prices are shown: nano to six decimals. */
export function partOf(currency: string, units: bigint, part: bigint, whole: bigint): bigint {
  const step = currency === 'NANO' ? 10n ** 24n : 10n ** BigInt(8 - decimalsOf(currency))
  return ((2n * units * part + whole * step) / (2n * whole * step)) * step
}
