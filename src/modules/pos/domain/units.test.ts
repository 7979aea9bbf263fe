import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatUnits, parseUnits, tipOn } from './units.ts'

test('a tip is rounded to the nearest coin there is, also where there are no cents', () => {
  const tip = (currency: string, price: string, percent: number) =>
    formatUnits(currency, tipOn(currency, parseUnits(currency, price)!, percent))
  assert.deepEqual(
    [tip('EUR', '2.25', 10), tip('EUR', '2.24', 10), tip('JPY', '105', 10), tip('NANO', '0.000004', 10)],
    ['0.23', '0.22', '11.00', '0'],
  )
})
