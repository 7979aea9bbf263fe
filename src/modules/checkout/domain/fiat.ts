import { RAW_MAX, RAW_PER_NANO, type Raw, toRaw } from '../../../kernel/money.ts'
import { SMALLEST_PRICE } from './amounts.ts'

const FIAT = /^(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,8})?$/
const RATE = /^[0-9]{1,12}(?:\.[0-9]{1,18})?$/
const RATE_DECIMALS = 18

/** A price in units of 10^-8 of a currency; undefined when the text is no price. */
export function parseFiat(text: string): bigint | undefined {
  return FIAT.test(text) ? toScaled(text, 8) : undefined
}

export function formatFiat(e8: bigint): string {
  const [whole, fraction] = [e8 / 10n ** 8n, (e8 % 10n ** 8n).toString().padStart(8, '0').replace(/0+$/, '')]
  return fraction === '' ? `${whole}.00` : `${whole}.${fraction.padEnd(2, '0')}`
}

/** A fiat price in nano, rounded up to what can be typed; undefined when the rate is no rate or no ledger holds so much. */
export function toNanoAt(e8: bigint, rate: string): Raw | undefined {
  const scaled = parseRate(rate)
  if (scaled === undefined) return undefined
  const raw = divideUp(e8 * RAW_PER_NANO * 10n ** BigInt(RATE_DECIMALS - 8), scaled)
  const rounded = divideUp(raw, SMALLEST_PRICE) * SMALLEST_PRICE
  // Today's rate may lift an old price above everything there is; a caller must not fall over it.
  return rounded > RAW_MAX ? undefined : toRaw(rounded)
}

/** What an amount is worth in units of 10^-8 of a currency, rounded down. */
export function worthAt(amount: bigint, rate: string): bigint | undefined {
  const scaled = parseRate(rate)
  return scaled === undefined ? undefined : (amount * scaled) / (RAW_PER_NANO * 10n ** BigInt(RATE_DECIMALS - 8))
}

/** Providers are not trusted: what is no positive number is no rate. */
function parseRate(rate: string): bigint | undefined {
  const scaled = RATE.test(rate) ? toScaled(rate, RATE_DECIMALS) : 0n
  return scaled > 0n ? scaled : undefined
}

function toScaled(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}
