import { AppError } from '../../kernel/errors.ts'
import type { Clock } from '../../kernel/ports.ts'
import { type JsonObject, textOf, toObject } from '../../kernel/shape.ts'
import type { SwapProvider, SwapRequest, SwapStatus } from '../../kernel/swap.ts'
import { LastGood, withTimeLimit } from '../market/last-good.ts'
import { BadStatus, fetchJson, toDecimal } from '../market/provider.ts'

const CURRENCIES_FRESH = 10 * 60_000
const CURRENCIES_STALE = 24 * 3_600_000
/**
 * The service has no status for an unpaid order. A transfer that was sent in time may need long to arrive on another
 * network.
 */
const GIVEN_UP_AFTER = 24 * 3_600_000
/** The service calculates with JavaScript numbers, which are exact up to this length. */
const DIGITS_MAX = 15
const CODE = /^[a-z0-9-]{1,12}$/

/** The service's statuses and ours. */
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

interface NanswapOptions {
  url: string
  key: string
  clock: Clock
}

/** A swap service with the HTTP API of Nanswap. */
export function nanswap({ url, key, clock }: NanswapOptions): SwapProvider {
  const headers: Record<string, string> = key === '' ? {} : { 'nanswap-api-key': key }
  const circuit = new Circuit(clock)
  const get = (path: string, query: Record<string, string>, signal: AbortSignal) =>
    fetchJson(`${url}${path}?${new URLSearchParams(query).toString()}`, { headers, signal }).then(toObject)
  const post = (path: string, body: JsonObject, signal: AbortSignal) =>
    fetchJson(`${url}${path}`, { headers, signal, body: JSON.stringify(body) }).then(toObject)
  const known = new LastGood({
    clock,
    fetch: async (signal) => readCurrencies(toObject(await fetchJson(`${url}/all-currencies`, { headers, signal }))),
    freshMilliseconds: CURRENCIES_FRESH,
    staleMilliseconds: CURRENCIES_STALE,
  })
  return {
    name: 'nanswap',
    async currencies() {
      const last = await known.read()
      if (!last) throw new Error('there are no currencies')
      return last.value
    },
    async open(request) {
      const { from, to, amount, address, refundAddress, expiresAt } = request
      const pair = { from: toTicker(from), to: toTicker(to) }
      const maxDurationSeconds = Math.floor((expiresAt - clock.now()) / 1000)
      const wish = { ...pair, amount: Number(amount), toAddress: address, refundAddress, maxDurationSeconds }
      try {
        // One time limit for both requests, because a caller waits for the answer.
        const order = await circuit.run(async (signal) => {
          checkAmount(amount, await get('/get-limits', pair, signal))
          return post('/create-order', wish, signal)
        })
        return readOrder(request, order)
      } catch (error) {
        if (!isRefusal(error)) throw error
        throw new AppError('invalid_request', 'The swap provider refuses this swap.', { cause: error })
      }
    },
    async follow({ reference, status, expiresAt }) {
      const order = await circuit.run((signal) => get('/get-order', { id: reference }, signal))
      const reported =
        typeof order.status === 'string' && Object.hasOwn(STATUSES, order.status) ? order.status : undefined
      const next = reported === undefined ? status : STATUSES[reported]!
      return next === 'waiting' && clock.now() >= expiresAt + GIVEN_UP_AFTER ? 'expired' : next
    },
  }
}

/** Currencies whose transfers need a memo are left out: we send none, and such a transfer would be lost. */
function readCurrencies(answer: JsonObject): string[] {
  const codes = Object.entries(answer)
    .filter(([, about]) => toObject(about).hasExternalId !== true)
    .map(([ticker]) => fromTicker(ticker))
    .filter((code) => CODE.test(code))
  if (codes.length === 0) throw new Error('there are no currencies in the answer')
  return codes
}

function checkAmount(amount: string, { min, max }: JsonObject): void {
  const refuse = (detail: string) => {
    throw new AppError('invalid_amount', 'Invalid amount number', { body: { field: 'amount', detail } })
  }
  if (amount.replace('.', '').replace(/^0+/, '').length > DIGITS_MAX) refuse(`At most ${DIGITS_MAX} digits.`)
  const least = toDecimal(min)
  const most = toDecimal(max)
  if (least !== undefined && Number(amount) < Number(least)) refuse(`At least ${least}.`)
  if (most !== undefined && Number(amount) > Number(most)) refuse(`At most ${most}.`)
}

/** Refuses an order that differs from the request, so that nobody pays it. */
function readOrder({ from, to, amount, address }: SwapRequest, order: JsonObject) {
  const { id, payinAddress, payinExtraId } = order
  const receive = toDecimal(order.expectedAmountTo)
  if (typeof id !== 'string' || id === '' || typeof payinAddress !== 'string' || receive === undefined) {
    throw new Error('there is no order in the answer')
  }
  const isOurs =
    order.from === toTicker(from) &&
    order.to === toTicker(to) &&
    textOf(order.payoutAddress).toLowerCase() === address.toLowerCase() &&
    Number(order.expectedAmountFrom) === Number(amount)
  if (!isOurs) throw new Error('the order is not what was asked for')
  if (payinExtraId !== undefined && payinExtraId !== null && payinExtraId !== '') {
    throw new Error('the deposit needs a memo')
  }
  return { reference: id, depositAddress: payinAddress, receive }
}

const fromTicker = (ticker: string) => (ticker.toUpperCase() === 'XNO' ? 'nano' : ticker.toLowerCase())
const toTicker = (code: string) => (code === 'nano' ? 'XNO' : code.toUpperCase())

const TIMEOUT = 8_000
const FAILURES_MAX = 3
const REST = 30_000

/** After repeated failures the service is not called for a while, so that no caller waits in vain. */
class Circuit {
  readonly #clock: Clock
  #failures = 0
  #backsOffUntil = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async run<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#clock.now() < this.#backsOffUntil) throw new Error('it is backed off after failures')
    try {
      const answer = await withTimeLimit(this.#clock, TIMEOUT, ask)
      this.#failures = 0
      return answer
    } catch (error) {
      // The refusal of one caller's invalid request must not block the service for all others.
      if (isRefusal(error) || error instanceof AppError) this.#failures = 0
      else if (++this.#failures >= FAILURES_MAX) this.#backsOffUntil = this.#clock.now() + REST
      throw error
    }
  }
}

/** The service works, but refuses this request. */
function isRefusal(error: unknown): boolean {
  return error instanceof BadStatus && error.status >= 400 && error.status < 500 && error.status !== 429
}
