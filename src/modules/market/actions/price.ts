import Type from 'typebox'
import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { AppError } from '../../../kernel/errors.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import type { MarketContext } from '../context.ts'

export const price = action({
  name: 'price',
  synonyms: ['fiat_price'],
  summary: 'Price of one nano in a currency, by default USD.',
  input: input({ currency: optional(field.currency) }),
  example: {
    request: { currency: 'USD' },
    response: {
      symbol: 'XNO',
      currency: 'usd',
      price: 0.8553,
      timestamp: 'Sun, 15 Nov 2026 10:00:00 GMT',
      timestamp_unix: 1794736800,
      source: 'coingecko',
    },
  },
  output: answer.record({
    symbol: answer.text,
    currency: Type.String({ pattern: '^[a-z]+$' }),
    price: answer.number,
    timestamp: answer.text,
    timestamp_unix: answer.unix,
    source: answer.text,
  }),
  errors: {
    invalid_currency: 'There is no price in this currency.',
    no_price: 'There is no recent price.',
  },
  auth: 'none',
  scope: 'read',
  readOnly: true,
  local: true,
  async run(_ctx, { currency = 'USD' }, { prices }: MarketContext) {
    const code = currency.toUpperCase()
    if (!prices.currencies.includes(code)) {
      const body = { field: 'currency', detail: `Currencies: ${prices.currencies.join(', ')}.` }
      throw new AppError('invalid_currency', 'Unknown currency.', { body })
    }
    const { rate, source, at } = await prices.rate(code)
    return {
      symbol: 'XNO',
      currency: code.toLowerCase(),
      price: Number(rate),
      timestamp: new Date(at).toUTCString(),
      timestamp_unix: Math.floor(at / 1000),
      source,
    }
  },
})
