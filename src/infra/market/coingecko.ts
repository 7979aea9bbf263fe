import { type Json, type JsonObject, toList, toObject } from '../../kernel/shape.ts'
import { type MarketProvider, type PriceProvider, fetchJson, toDecimal } from './provider.ts'

const NAME = 'coingecko'

interface CoinGeckoOptions {
  url: string
  /** Sent as a header; empty for the public service. */
  key: string
}

/** Members that the contract requires, by type. */
const TEXTS = ['hashing_algorithm', 'public_notice', 'last_updated'] as const
const NUMBERS = [
  'sentiment_votes_up_percentage',
  'sentiment_votes_down_percentage',
  'watchlist_portfolio_users',
  'market_cap_rank',
  'coingecko_rank',
  'coingecko_score',
  'developer_score',
  'community_score',
  'liquidity_score',
  'public_interest_score',
] as const
const MAPS = ['links', 'market_data', 'public_interest_stats'] as const
const SIZES = ['thumb', 'small', 'large'] as const

/** CoinGecko, API version 3. */
export function coinGecko({ url, key }: CoinGeckoOptions): PriceProvider & MarketProvider {
  const headers: Record<string, string> = key === '' ? {} : { 'x-cg-demo-api-key': key }
  return {
    name: NAME,
    async fetchRates(currencies, signal) {
      const query = new URLSearchParams({
        ids: 'nano',
        vs_currencies: currencies.join(',').toLowerCase(),
        precision: 'full',
      })
      const answer = toObject(await fetchJson(`${url}/simple/price?${query.toString()}`, { headers, signal }))
      const rates = new Map<string, string>()
      for (const [currency, price] of Object.entries(toObject(answer.nano))) {
        const rate = toDecimal(price)
        if (rate !== undefined) rates.set(currency.toUpperCase(), rate)
      }
      if (!rates.has('USD')) throw new Error('there is no price in the answer')
      return rates
    },
    async fetchMarket(signal) {
      const query = new URLSearchParams({
        localization: 'false',
        tickers: 'false',
        community_data: 'false',
        developer_data: 'false',
      })
      const answer = toObject(await fetchJson(`${url}/coins/nano?${query.toString()}`, { headers, signal }))
      if (answer.id !== 'nano' || Object.keys(toObject(answer.market_data)).length === 0) {
        throw new Error('there is no market in the answer')
      }
      return toMarket(answer)
    },
  }
}

/** Sets every required member with its type, whatever the provider sent; unknown ones are null or empty. */
function toMarket(coin: JsonObject): JsonObject {
  const image = toObject(coin.image)
  const pick = (names: readonly string[], read: (value: unknown) => Json) =>
    Object.fromEntries(names.map((name) => [name, read(coin[name])]))
  return {
    source: NAME,
    id: 'nano',
    symbol: toText(coin.symbol) ?? 'xno',
    name: toText(coin.name) ?? 'Nano',
    ...pick(TEXTS, toText),
    categories: toList(coin.categories).filter((one) => typeof one === 'string'),
    ...pick(MAPS, toObject),
    image: Object.fromEntries(SIZES.map((size) => [size, toText(image[size]) ?? ''])),
    ...pick(NUMBERS, (value) => (typeof value === 'number' ? value : null)),
    status_updates: toList(coin.status_updates).map(toObject),
  }
}

const toText = (value: unknown): string | null => (typeof value === 'string' ? value : null)
