import type { MarketData, Prices } from '../../kernel/ports.ts'

/** The source of prices. */
export interface MarketContext {
  prices: Prices
  market: MarketData
}
