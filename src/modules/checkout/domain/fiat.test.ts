import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatNano } from '../../../kernel/money.ts'
import { formatFiat, parseFiat, toNanoAt, worthAt } from './fiat.ts'

test('a price becomes nano rounded up to a typeable amount, never less than its value', () => {
  for (const [price, rate, nano] of [
    ['10', '1.00', '10'],
    ['10', '3', '3.333334'],
    ['0.01', '16650', '0.000001'],
    ['19.99', '0.86', '23.244187'],
    ['1', '0.000001', '1000000'],
  ] as const) {
    const raw = toNanoAt(parseFiat(price)!, rate)!
    assert.equal(formatNano(raw), nano)
    assert.ok(worthAt(raw, rate)! >= parseFiat(price)!)
  }
})

test('what is no price and no rate is refused', () => {
  for (const text of ['', '-1', '1e5', '01', '1.', '.5', '1.123456789', 'NaN', '1 000'])
    assert.equal(parseFiat(text), undefined)
  for (const rate of ['0', '0.0', '-1', 'Infinity', '1e3', '']) assert.equal(toNanoAt(1n, rate), undefined)
})

test('sums of prices print with cents', () => {
  assert.equal(formatFiat(parseFiat('10')!), '10.00')
  assert.equal(formatFiat(parseFiat('0.5')!), '0.50')
  assert.equal(formatFiat(parseFiat('1.23456789')!), '1.23456789')
})
