import { NanoPaymentError } from './errors.ts'

export interface Price {
  /** The gateway's code: `EUR`, or `NANO`. */
  currency: string
  /** A decimal number without an exponent or trailing zeros. */
  amount: string
}

/** As many decimals as raw has, and more than any currency. */
const SCALE = 30

/** Converts an amount from Medusa, with the decimals of its currency. */
export function toPrice(amount: unknown, currencyCode: unknown): Price {
  const code = String(currencyCode).toUpperCase()
  const currency = code === 'XNO' ? 'NANO' : code
  const unit = 10n ** BigInt(SCALE - digitsOf(currency))
  const scaled = ((scale(amount) + unit / 2n) / unit) * unit
  if (scaled <= 0n) throw new NanoPaymentError('invalid_data', 'There is nothing to pay.', { code: 'invalid_amount' })
  return { currency, amount: unscale(scaled) }
}

function digitsOf(currency: string): number {
  if (currency === 'NANO') return SCALE
  try {
    const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
    return maximumFractionDigits
  } catch (error) {
    throw new NanoPaymentError('invalid_data', `${currency} is not a currency.`, {
      code: 'invalid_currency',
      cause: error,
    })
  }
}

/** An amount as a whole number of the smallest unit, exact for each of Medusa's formats. */
export function scale(amount: unknown): bigint {
  const [, whole = '', part = '', exponent = '0'] =
    /^(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,2}))?$/i.exec(toText(amount)) ?? []
  if (whole === '')
    throw new NanoPaymentError('invalid_data', 'The amount is not a number.', { code: 'invalid_amount' })
  const zeros = SCALE - part.length + Number(exponent)
  const digits = BigInt(whole + part)
  return zeros >= 0 ? digits * 10n ** BigInt(zeros) : digits / 10n ** BigInt(-zeros)
}

function unscale(scaled: bigint): string {
  const digits = scaled.toString().padStart(SCALE + 1, '0')
  const part = digits.slice(-SCALE).replace(/0+$/, '')
  return part === '' ? digits.slice(0, -SCALE) : `${digits.slice(0, -SCALE)}.${part}`
}

function toText(amount: unknown): string {
  if (typeof amount !== 'object' || amount === null) return String(amount)
  const { value, raw } = amount as { value?: unknown; raw?: { value?: unknown } }
  return String(value ?? raw?.value ?? amount)
}
