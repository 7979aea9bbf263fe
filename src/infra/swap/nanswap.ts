import type { SwapProvider, SwapStatus } from '../../kernel/ports.ts'
import { type JsonObject, toObject } from '../../kernel/shape.ts'
import { fetchJson } from '../market/fetch-json.ts'
import { toDecimal } from '../market/provider.ts'

const TIMEOUT = 8_000
const CURRENCIES_KEPT = 10 * 60_000

/** Its words and ours. */
const STATUSES: Readonly<Record<string, SwapStatus>> = {
  waiting: 'waiting',
  confirming: 'confirming',
  exchanging: 'exchanging',
  sending: 'sending',
  completed: 'finished',
  finished: 'finished',
  error: 'failed',
  failed: 'failed',
  refunded: 'refunded',
  expired: 'expired',
}

export interface NanswapOptions {
  url: string
  key: string
}

/** A swap service that speaks the HTTP API of Nanswap. */
export function nanswap({ url, key }: NanswapOptions): SwapProvider {
  const headers: Record<string, string> = key === '' ? {} : { 'nanswap-api-key': key }
  const ask = (path: string, body?: JsonObject) =>
    fetchJson(`${url}${path}`, {
      headers,
      signal: AbortSignal.timeout(TIMEOUT),
      ...(body && { body: JSON.stringify(body) }),
    }).then(toObject)
  let known: { codes: string[]; at: number } | undefined
  return {
    name: 'nanswap',
    async currencies() {
      if (known && performance.now() - known.at < CURRENCIES_KEPT) return known.codes
      const codes = Object.keys(await ask('/all-currencies')).map(fromTicker)
      if (codes.length === 0) throw new Error('there are no currencies in the answer')
      known = { codes, at: performance.now() }
      return codes
    },
    async open({ from, to, amount, address, refundAddress }) {
      const order = await ask('/create-order', {
        from: toTicker(from),
        to: toTicker(to),
        amount: Number(amount),
        toAddress: address,
        refundAddress,
      })
      const receive = toDecimal(order.expectedAmountTo)
      if (typeof order.id !== 'string' || typeof order.payinAddress !== 'string' || receive === undefined) {
        throw new Error('there is no order in the answer')
      }
      return { reference: order.id, depositAddress: order.payinAddress, receive }
    },
    async follow({ reference, status }) {
      const order = await ask(`/get-order?id=${encodeURIComponent(reference)}`)
      const told = String(order.status)
      return (Object.hasOwn(STATUSES, told) ? STATUSES[told] : undefined) ?? status
    },
  }
}

const fromTicker = (ticker: string) => (ticker.toUpperCase() === 'XNO' ? 'nano' : ticker.toLowerCase())
const toTicker = (code: string) => (code === 'nano' ? 'XNO' : code.toUpperCase())
