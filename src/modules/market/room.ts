import type { MarketData, Prices } from '../../kernel/ports.ts'

/** The source of prices. */
export interface MarketRoom {
  prices: Prices
  market: MarketData
}
