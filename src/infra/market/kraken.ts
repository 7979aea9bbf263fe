import { toList, toObject } from '../../kernel/shape.ts'
import { type PriceProvider, fetchJson, toDecimal } from './provider.ts'

const PAIRS: Readonly<Record<string, string>> = { XNOUSD: 'USD', XNOEUR: 'EUR' }

/** Kraken's public ticker: the last trade of each pair. */
export function kraken({ url }: { url: string }): PriceProvider {
  return {
    name: 'kraken',
    async fetchRates(_currencies, signal) {
      const pairs = Object.keys(PAIRS).join(',')
      const { error, result } = toObject(await fetchJson(`${url}/0/public/Ticker?pair=${pairs}`, { signal }))
      if (toList(error).length > 0) throw new Error('it answered with an error')
      const rates = new Map<string, string>()
      for (const [pair, ticker] of Object.entries(toObject(result))) {
        const currency = PAIRS[pair]
        const rate = toDecimal(toList(toObject(ticker).c)[0])
        if (currency !== undefined && rate !== undefined) rates.set(currency, rate)
      }
      if (rates.size === 0) throw new Error('there is no price in the answer')
      return rates
    },
  }
}
