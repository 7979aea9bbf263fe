import { action } from '../../../kernel/action.ts'
import { input } from '../../../kernel/fields.ts'

export const marketData = action({
  name: 'market_data',
  summary: 'Price, volume and supply of nano as a market tells them.',
  input: input({}),
  example: {
    request: {},
    response: {
      source: 'coingecko',
      id: 'nano',
      symbol: 'xno',
      name: 'Nano',
      market_data: { current_price: { usd: 0.8553 } },
    },
  },
  errors: {
    no_price: 'No data are known that are recent enough.',
  },
  auth: 'none',
  caching: 'local',
  run: ({ market }) => market.read(),
})
