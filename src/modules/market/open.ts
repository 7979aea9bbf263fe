import { type Module, offer } from '../../kernel/module.ts'
import { marketData } from './actions/market-data.ts'
import { price } from './actions/price.ts'
import type { MarketContext } from './context.ts'

export const MARKET_ACTIONS = [price, marketData]

/** Opens the market module: prices of nano. */
export const openMarket = (context: MarketContext): Module => offer('market', context, MARKET_ACTIONS)
