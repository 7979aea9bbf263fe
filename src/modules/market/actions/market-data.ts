import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { input } from '../../../kernel/fields.ts'
import type { MarketContext } from '../context.ts'

export const marketData = action({
  name: 'market_data',
  summary: 'Price, volume and supply of nano, from a market.',
  input: input({}),
  example: {
    request: {},
    response: {
      source: 'coingecko',
      id: 'nano',
      symbol: 'xno',
      name: 'Nano',
      hashing_algorithm: 'Blake2b',
      categories: ['Cryptocurrency'],
      public_notice: null,
      links: { homepage: ['https://nano.org'] },
      image: { thumb: '', small: '', large: '' },
      sentiment_votes_up_percentage: 80,
      sentiment_votes_down_percentage: 20,
      market_cap_rank: 400,
      market_data: { current_price: { usd: 0.8553 } },
      public_interest_stats: {},
      status_updates: [],
      last_updated: '2026-11-15T10:00:00.000Z',
    },
  },
  output: answer.record({
    source: answer.text,
    id: answer.text,
    symbol: answer.text,
    name: answer.text,
    hashing_algorithm: answer.orNull(answer.text),
    categories: answer.list(answer.text),
    public_notice: answer.orNull(answer.text),
    links: answer.object,
    image: answer.record({ thumb: answer.text, small: answer.text, large: answer.text }),
    sentiment_votes_up_percentage: answer.orNull(answer.number),
    sentiment_votes_down_percentage: answer.orNull(answer.number),
    market_cap_rank: answer.orNull(answer.number),
    market_data: answer.object,
    public_interest_stats: answer.object,
    status_updates: answer.list(answer.object),
    last_updated: answer.orNull(answer.text),
  }),
  errors: {
    no_price: 'There is no recent data.',
  },
  auth: 'none',
  scope: 'read',
  readOnly: true,
  local: true,
  run: (_ctx, _input, { market }: MarketContext) => market.read(),
})
