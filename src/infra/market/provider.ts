import { request } from 'undici'
import type { JsonObject } from '../../kernel/shape.ts'

/** A source of prices of nano. */
export interface PriceProvider {
  readonly name: string
  /** Prices of one nano as decimal text, by currency in capital letters. Throws if it cannot interpret the answer. */
  fetchRates(currencies: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>
}

/** A source of all market data of nano. */
export interface MarketProvider {
  readonly name: string
  fetchMarket(signal: AbortSignal): Promise<JsonObject>
}

/**
 * A price as decimal text, with up to 12 digits before and 18 after the point; undefined if it is not a positive,
 * finite number of plausible length.
 */
export function toDecimal(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isFinite(value) ? plain(value) : value
  const [, decimal] = (typeof text === 'string' && /^([0-9]{1,12}(?:\.[0-9]{1,18})?)[0-9]{0,20}$/.exec(text)) || []
  return decimal !== undefined && /[1-9]/.test(decimal) ? decimal : undefined
}

/** JavaScript writes small numbers with an exponent, which our decimal arithmetic cannot read. */
function plain(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(18).replace(/0+$/, '') : text
}

const ANSWER_BYTES_MAX = 1024 * 1024

/** A provider answered with an error. */
export class BadStatus extends Error {
  readonly status: number

  constructor(status: number) {
    super(`status ${status}`)
    this.status = status
  }
}

/** Fetches an answer of a provider. Its address comes from the settings and is trusted; its answer is not. */
export async function fetchJson(
  url: string,
  { headers = {}, body: sent, signal }: { headers?: Record<string, string>; body?: string; signal: AbortSignal },
): Promise<unknown> {
  const { statusCode, body } = await request(url, {
    headers: {
      accept: 'application/json',
      ...(sent !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent !== undefined && { method: 'POST', body: sent }),
    signal,
  })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > ANSWER_BYTES_MAX) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  if (statusCode !== 200) throw new BadStatus(statusCode)
  return JSON.parse(Buffer.concat(chunks).toString()) as unknown
}
