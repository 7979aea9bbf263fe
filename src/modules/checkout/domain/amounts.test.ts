import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNano } from '../../../kernel/money.ts'
import { amountSpaces, fillWildcards, hasWildcards, pickAmount } from './amounts.ts'
import { testRandom } from '../../../../test/support/random.ts'

const nano = (text: string) => parseNano(text)!

test('an amount is more than the price and less than half a percent above it', () => {
  for (const price of ['0.000001', '0.00002', '0.01', '0.1', '0.1234567', '1', '1.5', '999', '133000000']) {
    for (const neighbours of [0, 10, 2_474]) {
      const [space] = amountSpaces(nano(price), neighbours)
      const { grain, base, tags } = space!
      const largest = base + tags * grain
      assert.ok((largest - nano(price)) * 1000n < nano(price) * 5n, `${price} can become ${largest}`)
      for (let round = 0; round < 200; round++) {
        const amount = pickAmount(testRandom, space!)
        assert.ok(amount > nano(price), `${price} was asked for as it is`)
        assert.ok(amount <= largest, `${price} became ${amount}`)
      }
    }
  }
})

test('unique digits are as few as possible, so that people can type them', () => {
  assert.equal(amountSpaces(nano('1'), 0)[0]!.grain, 10n ** 24n)
  assert.equal(amountSpaces(nano('0.001'), 0)[0]!.grain, 10n ** 22n)
  assert.equal(amountSpaces(nano('0.000001'), 0)[0]!.grain, 10n ** 18n)
  assert.equal(amountSpaces(nano('1000'), 2_000)[0]!.grain, 10n ** 24n)
  // All amounts with four digits are taken, so the next ones have digits that only links can carry.
  assert.equal(amountSpaces(nano('1000'), 2_475)[0]!.grain, 10n ** 18n)
})

test('digits written X are filled, all others stay', () => {
  for (let round = 0; round < 100; round++) {
    const amount = fillWildcards(testRandom, '1.23XXX5')!
    const text = (amount / 10n ** 24n).toString()
    assert.match(text, /^123\d\d[1-9]5$/)
  }
  assert.ok(hasWildcards('X.5') && hasWildcards('0.0X'))
  for (const text of ['1.5', 'x.1', '1.XY', 'X.', '']) assert.equal(hasWildcards(text), false, text)
})
