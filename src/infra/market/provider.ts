import type { JsonObject } from '../../kernel/shape.ts'

/** A service that knows what nano costs. */
export interface PriceProvider {
  readonly name: string
  /** Prices of one nano as decimal text, by currency in capitals. Throws at anything it cannot make sense of. */
  fetchRates(currencies: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>
}

/** A service that knows everything about the market of nano. */
export interface MarketProvider {
  readonly name: string
  fetchMarket(signal: AbortSignal): Promise<JsonObject>
}

/** A price as decimal text of up to 12 and 18 digits, or undefined when it is none: positive, finite, of plausible length. */
export function toDecimal(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isFinite(value) ? plain(value) : value
  const [, decimal] = (typeof text === 'string' && /^([0-9]{1,12}(?:\.[0-9]{1,18})?)[0-9]{0,20}$/.exec(text)) || []
  return decimal !== undefined && /[1-9]/.test(decimal) ? decimal : undefined
}

/** JavaScript writes small numbers with an exponent, which no decimal arithmetic reads. */
function plain(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(18).replace(/0+$/, '') : text
}
