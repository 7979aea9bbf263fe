import { RAW_PER_NANO } from './money.ts'

const RATE = /^[0-9]{1,12}(?:\.[0-9]{1,18})?$/
export const RATE_DECIMALS = 18

/** Providers are not trusted: a rate must be a positive number, otherwise undefined. */
export function parseRate(rate: string): bigint | undefined {
  if (!RATE.test(rate)) return undefined
  const [whole = '', fraction = ''] = rate.split('.')
  const scaled = BigInt(whole + fraction.padEnd(RATE_DECIMALS, '0'))
  return scaled > 0n ? scaled : undefined
}

/** The value of an amount in units of 10^-8 of a currency, rounded down. */
export function worthAt(amount: bigint, rate: string): bigint | undefined {
  const scaled = parseRate(rate)
  return scaled === undefined ? undefined : (amount * scaled) / (RAW_PER_NANO * 10n ** BigInt(RATE_DECIMALS - 8))
}

export function formatFiat(e8: bigint): string {
  if (e8 < 0n) return `-${formatFiat(-e8)}`
  const [whole, fraction] = [e8 / 10n ** 8n, (e8 % 10n ** 8n).toString().padStart(8, '0').replace(/0+$/, '')]
  return fraction === '' ? `${whole}.00` : `${whole}.${fraction.padEnd(2, '0')}`
}
