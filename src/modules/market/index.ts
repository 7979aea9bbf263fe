import type { Module } from '../../kernel/module.ts'
import { marketData } from './actions/market-data.ts'
import { price } from './actions/price.ts'

export const market: Module = { name: 'market', actions: [price, marketData] }
