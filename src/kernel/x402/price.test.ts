import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertPrice, parsePrice } from './price.ts'

test('a price has its unit, and costs something', () => {
  assert.deepEqual(parsePrice('0.001 nano'), { raw: 10n ** 27n })
  assert.deepEqual(parsePrice(' 1 XNO '), { raw: 10n ** 30n })
  assert.deepEqual(parsePrice('7 raw'), { raw: 7n })
  assert.deepEqual(parsePrice('0.01 usd'), { currency: 'USD', value: '0.01' })
  const wrong = ['', '1', 'nano', '0 nano', '0.00 USD', '-1 nano', '1e3 nano', '1.5 raw', '1 nano 2', '1 dollars']
  for (const text of wrong) {
    assert.equal(parsePrice(text), undefined, text)
  }
})

test('a conversion is exact and rounded up to six digits', () => {
  assert.equal(convertPrice('0.01', '1'), 10n ** 28n)
  assert.equal(convertPrice('1', '3'), 333_334n * 10n ** 24n)
  assert.equal(convertPrice('0.01', '0.9741'), 102_659n * 10n ** 23n)
  assert.equal(convertPrice('0.000000000000000001', '999999999999'), 2n)
  for (const rate of ['0', '', '-1', '1e5', 'NaN', '1,5']) assert.equal(convertPrice('1', rate), undefined, rate)
  // More than there is of nano.
  assert.equal(convertPrice('999999999999', '0.000000000000000001'), undefined)
})

test('no converted price is below the exact one, nor above it by more than a hundred-thousandth', () => {
  for (let at = 1; at < 500; at++) {
    const rate = `${at % 7}.${String(at * 7919).padStart(6, '0')}`
    const amount = convertPrice('0.05', rate)!
    const value = Number(amount) * Number(rate)
    assert.ok(value >= 0.05 * 10 ** 30 * (1 - 1e-12) && value <= 0.05 * 10 ** 30 * (1 + 1.1e-5), rate)
  }
})
