import { formatNano, parseNano, toPlainDecimal } from '../kernel/money.ts'

/** A bigint is raw, a text is nano: `10n ** 30n` and `'1'` are the same. */
export type Amount = bigint | string

/** An amount of nano in raw, exactly: `raw('1.5')`. */
export function raw(nano: string | number): bigint {
  const amount = parseNano(toPlainDecimal(String(nano)))
  if (amount === undefined) throw new TypeError(`Not an amount in nano: ${nano}`)
  return amount
}

/** An amount of raw in nano, exactly: `nano(15n * 10n ** 29n)` is `1.5`. */
export function nano(raw: bigint): string {
  if (typeof raw !== 'bigint') throw new TypeError(`Not an amount in raw: ${String(raw)}`)
  return formatNano(raw)
}

export const toRawAmount = (amount: Amount): bigint => (typeof amount === 'bigint' ? amount : raw(amount))
