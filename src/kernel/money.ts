declare const rawBrand: unique symbol

/** An amount in raw, the smallest unit of the ledger: exact and never negative. */
export type Raw = bigint & { readonly [rawBrand]: 'Raw' }

const NANO_DECIMALS = 30
export const RAW_PER_NANO = (10n ** 30n) as Raw
/** The whole supply; no amount is larger. */
export const RAW_MAX = (2n ** 128n - 1n) as Raw

const RAW_TEXT = /^(0|[1-9][0-9]{0,38})$/
const NANO_TEXT = /^([0-9]{1,9})?(?:\.([0-9]{0,30}))?$/

/** Types a bigint as an amount. Throws if no such amount can exist, which would be a programming error. */
export function toRaw(value: bigint): Raw {
  if (value < 0n || value > RAW_MAX) throw new RangeError(`Not an amount of raw: ${value}`)
  return value as Raw
}

const EXPONENT_TEXT = /^([0-9]{0,40})(?:\.([0-9]{0,40}))?e([+-]?[0-9]{1,2})$/i

/** Writes a number without an exponent: `1e-7` becomes `0.0000001`. Any other text is returned unchanged. */
export function toPlainDecimal(text: string): string {
  const match = EXPONENT_TEXT.exec(text)
  if (!match) return text
  const [, whole = '', fraction = '', power = ''] = match
  if (whole === '' && fraction === '') return text
  const digits = whole + fraction
  const point = whole.length + Number(power)
  const before = point > 0 ? digits.slice(0, point).padEnd(point, '0') : ''
  const after = (point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits).replace(/0+$/, '')
  return `${before.replace(/^0+/, '') || '0'}${after === '' ? '' : `.${after}`}`
}

/** Reads a whole number of raw; undefined if the text is not one. */
export function parseRaw(text: string): Raw | undefined {
  if (!RAW_TEXT.test(text)) return undefined
  const value = BigInt(text)
  return value <= RAW_MAX ? (value as Raw) : undefined
}

/** Reads a number of nano with up to 30 decimals; undefined if the text is not one. */
export function parseNano(text: string): Raw | undefined {
  const match = NANO_TEXT.exec(text)
  if (!match) return undefined
  const [, whole = '', fraction = ''] = match
  if (whole === '' && fraction === '') return undefined
  const value = BigInt(whole || '0') * RAW_PER_NANO + BigInt(fraction.padEnd(NANO_DECIMALS, '0'))
  return value <= RAW_MAX ? (value as Raw) : undefined
}

/** Writes an amount, or the difference of two amounts, in nano: exactly and without trailing zeros. */
export function formatNano(raw: bigint): string {
  if (raw < 0n) return `-${formatNano(-raw)}`
  const whole = raw / RAW_PER_NANO
  const fraction = raw % RAW_PER_NANO
  if (fraction === 0n) return whole.toString()
  return `${whole}.${fraction.toString().padStart(NANO_DECIMALS, '0').replace(/0+$/, '')}`
}
