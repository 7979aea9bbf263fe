import type { MarketData, Prices } from '../../kernel/ports.ts'

/** Who says what nano is worth. */
export interface MarketRoom {
  prices: Prices
  market: MarketData
}
