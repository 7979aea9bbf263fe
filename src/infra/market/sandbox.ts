import { AppError } from '../../kernel/errors.ts'
import type { Clock, MarketData, Prices } from '../../kernel/ports.ts'

const SOURCE = 'sandbox'

/** Plausible fixed rates, so that shops can be built and tested without a price provider. */
const RATES: Readonly<Record<string, string>> = {
  AUD: '1.52',
  BRL: '5.35',
  CAD: '1.40',
  CHF: '0.80',
  CNY: '7.12',
  CZK: '20.9',
  DKK: '6.42',
  EUR: '0.86',
  GBP: '0.76',
  HKD: '7.78',
  HUF: '331',
  IDR: '16650',
  ILS: '3.24',
  INR: '88.6',
  JPY: '154.2',
  KRW: '1456',
  MXN: '18.3',
  NOK: '10.1',
  NZD: '1.76',
  PLN: '3.64',
  SEK: '9.43',
  SGD: '1.30',
  THB: '32.4',
  TRY: '42.3',
  UAH: '42.0',
  USD: '1.00',
  ZAR: '17.1',
}

/** Rough exchange rates of the dollar, to recognise an absurd price; an unknown currency counts as dollars. */
export function perDollar(currency: string): number {
  return Number(RATES[currency] ?? 1)
}

/** A market in which a nano always costs one dollar; the source says `sandbox`. */
export function sandboxPrices(clock: Clock): Prices {
  return {
    currencies: Object.keys(RATES),
    rate: (currency) => {
      const rate = RATES[currency]
      if (rate === undefined) return Promise.reject(new AppError('invalid_currency', 'Unknown currency.'))
      return Promise.resolve({ rate, source: SOURCE, at: clock.now() })
    },
  }
}

const SUPPLY = 133_248_297

/** Market data of the sandbox: complete, and clearly not real. */
export function sandboxMarketData(clock: Clock): MarketData {
  const byCurrency = (of: (rate: number) => number) =>
    Object.fromEntries(Object.entries(RATES).map(([code, rate]) => [code.toLowerCase(), of(Number(rate))]))
  return {
    read: () => {
      const now = new Date(clock.now()).toISOString()
      const price = byCurrency((rate) => rate)
      const none = byCurrency(() => 0)
      return Promise.resolve({
        source: SOURCE,
        id: 'nano',
        symbol: 'xno',
        name: 'Nano',
        hashing_algorithm: 'Blake2b',
        categories: ['Cryptocurrency'],
        public_notice: 'Invented figures for trying things out.',
        links: { homepage: ['https://nano.org'], blockchain_site: [] },
        image: { thumb: '', small: '', large: '' },
        sentiment_votes_up_percentage: 50,
        sentiment_votes_down_percentage: 50,
        watchlist_portfolio_users: 0,
        market_cap_rank: 1,
        coingecko_rank: 1,
        coingecko_score: 0,
        developer_score: 0,
        community_score: 0,
        liquidity_score: 0,
        public_interest_score: 0,
        market_data: {
          current_price: price,
          market_cap: byCurrency((rate) => Math.round(rate * SUPPLY)),
          market_cap_rank: 1,
          fully_diluted_valuation: byCurrency((rate) => Math.round(rate * SUPPLY)),
          total_volume: none,
          high_24h: price,
          low_24h: price,
          price_change_24h: 0,
          price_change_percentage_24h: 0,
          price_change_percentage_7d: 0,
          price_change_percentage_30d: 0,
          price_change_percentage_1y: 0,
          market_cap_change_24h: 0,
          market_cap_change_percentage_24h: 0,
          price_change_24h_in_currency: none,
          price_change_percentage_24h_in_currency: none,
          price_change_percentage_7d_in_currency: none,
          price_change_percentage_30d_in_currency: none,
          price_change_percentage_1y_in_currency: none,
          market_cap_change_24h_in_currency: none,
          market_cap_change_percentage_24h_in_currency: none,
          ath: price,
          ath_change_percentage: none,
          atl: price,
          atl_change_percentage: none,
          total_supply: SUPPLY,
          max_supply: SUPPLY,
          circulating_supply: SUPPLY,
          last_updated: now,
        },
        public_interest_stats: {},
        status_updates: [],
        last_updated: now,
      })
    },
  }
}
