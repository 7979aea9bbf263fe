import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFiat } from '../../modules/checkout/index.ts'
import { fromTyped, withAmounts } from './typed-amount.ts'

test('12,50 was refused in a shop whose people write it so', () => {
  const read = {
    '12,50': '12.50',
    '12.50': '12.50',
    '0,5': '0.5',
    ',5': '0.5',
    '0,125': '0.125',
    '1234': '1234',
    '1.234,50': '1234.50',
    '1,234.50': '1234.50',
    '1 234,50': '1234.50',
    '1’234.50': '1234.50',
    '1.234.567': '1234567',
    '€12,50': '12.50',
    '12,50 €': '12.50',
    'EUR 12.50': '12.50',
  }
  for (const [typed, meant] of Object.entries(read)) assert.equal(fromTyped(typed, 'EUR'), meant, typed)
  const nano = { '1,5': '1.5', '2 nano': '2', 'Ӿ1.250': '1.250', '0.000001': '0.000001', '1.2XX': '1.2XX' }
  for (const [typed, meant] of Object.entries(nano)) assert.equal(fromTyped(typed, 'NANO'), meant, typed)
})

test('an amount that can be read in two ways is refused instead of being a thousandth', () => {
  for (const typed of ['1,250', '1.250', '12,500', '1,2,3', '1.23.4,5', '$5', '12,', '-3', 'a lot', '1,5 2,5'])
    assert.equal(parseFiat(fromTyped(typed, 'EUR')), undefined, typed)
})

test('amounts among other fields are read in their currencies, and an exact one stays as it is', () => {
  const typed = { amount: '1,5', fiat_amount: '€ 9,50', reason: '1,5 too much' }
  const read = withAmounts(typed, { amount: 'NANO', fiat_amount: 'EUR', missing: 'EUR' })
  assert.deepEqual(read, { amount: '1.5', fiat_amount: '9.50', reason: '1,5 too much' })
  for (const exact of ['0.000000000000000000000000000001', '123.456', '1000000', 'all'])
    assert.equal(fromTyped(exact, 'NANO'), exact)
})
