import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ctx } from '../../../kernel/ctx.ts'
import { price } from './price.ts'

const at = Date.parse('2026-11-15T10:00:00.900Z')
const prices = {
  currencies: ['USD', 'EUR'],
  rate: (currency: string) => Promise.resolve({ rate: currency === 'USD' ? '0.8553' : '0.73', source: 'market', at }),
}
const context = { prices, market: { read: () => Promise.resolve({}) } }
const ask = (currency?: string) => price.run({} as Ctx, currency === undefined ? {} : { currency }, context)

test('a price is in dollars by default, says since when, and whose it is', async () => {
  const told = { timestamp: 'Sun, 15 Nov 2026 10:00:00 GMT', timestamp_unix: 1_794_736_800, source: 'market' }
  assert.deepEqual(await ask(), { symbol: 'XNO', currency: 'usd', price: 0.8553, ...told })
  assert.deepEqual(await ask('eur'), { symbol: 'XNO', currency: 'eur', price: 0.73, ...told })
})

test('400 a currency without a price, with those that have one', async () => {
  const body = { field: 'currency', detail: 'Currencies: USD, EUR.' }
  await assert.rejects(async () => ask('XYZ'), { code: 'invalid_currency', body })
})
