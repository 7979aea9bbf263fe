import { type JsonObject, toObject } from '../../kernel/shape.ts'
import { fetchJson } from './fetch-json.ts'
import { type MarketProvider, type PriceProvider, toDecimal } from './provider.ts'

const NAME = 'coingecko'

interface CoinGeckoOptions {
  url: string
  /** Sent as a header; empty for the public service. */
  key: string
}

/** Members of a coin that the contract lists, and nothing else. */
const TOP_LEVEL = [
  'id',
  'symbol',
  'name',
  'hashing_algorithm',
  'categories',
  'public_notice',
  'links',
  'image',
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
  'market_data',
  'public_interest_stats',
  'status_updates',
  'last_updated',
] as const

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
      const market: JsonObject = { source: NAME }
      for (const name of TOP_LEVEL) market[name] = answer[name] ?? EMPTY[name] ?? null
      return market
    },
  }
}

/** What is a list or a map in the contract is one also when the provider left it out. */
const EMPTY: Partial<Record<(typeof TOP_LEVEL)[number], JsonObject | []>> = {
  categories: [],
  links: {},
  image: {},
  public_interest_stats: {},
  status_updates: [],
}
