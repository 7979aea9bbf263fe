import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeat } from '../../../test/support/random.ts'
import {
  WORK_THRESHOLDS,
  difficultyLimit,
  formatMultiplier,
  formatWork,
  fromMultiplier,
  toMultiplier,
  workValue,
} from './work.ts'

const TWO_64 = 2n ** 64n
const { live, beta, dev } = WORK_THRESHOLDS

test('the work value of the example in the documentation of the node is the documented one', () => {
  const root = '718CC2121C3E641059BC1C2CFC45666C99E8AE922F7A807B7D07B62C995D79E2'
  const value = workValue(root, '2bf29ef00786a6bc')
  assert.equal(formatWork(value), 'ffffffd21c3933f4')
  assert.equal(workValue(root.toLowerCase(), '2BF29EF00786A6BC'), value)
})

test('a work value depends on every byte of root and work', () =>
  repeat(10, (random) => {
    const root = random.hex(64)
    const work = random.hex(16)
    const values = new Set([workValue(root, work)])
    const flip = (hex: string, index: number) =>
      hex.slice(0, index) + (hex[index] === '0' ? '1' : '0') + hex.slice(index + 1)
    for (let index = 0; index < 64; index++) values.add(workValue(flip(root, index), work))
    for (let index = 0; index < 16; index++) values.add(workValue(root, flip(work, index)))
    assert.equal(values.size, 1 + 64 + 16)
    for (const value of values) assert.ok(value >= 0n && value < TWO_64)
  }))

test('the thresholds of the three networks have their published ratios', () => {
  assert.equal(formatMultiplier(toMultiplier(live.receive, live.send)), '0.015625000000000')
  assert.equal(formatMultiplier(toMultiplier(live.epoch1, live.send)), '0.125000000000000')
  assert.equal(formatMultiplier(toMultiplier(beta.receive, beta.send)), '0.500000000000000')
  assert.equal(formatMultiplier(toMultiplier(dev.receive, dev.send)), '0.015625000000000')
  for (const { send } of [live, beta, dev]) assert.equal(toMultiplier(send, send), 1)
})

test('a multiplier goes up to 64 times the base, and a difficulty that is named to 64 times that of the live network', () => {
  assert.equal(formatWork(difficultyLimit(live.send, 'multiplier')), 'ffffffffe0000000')
  assert.equal(formatWork(difficultyLimit(dev.send, 'multiplier')), 'ffff000000000000')
  for (const { send } of [live, beta, dev]) {
    assert.equal(formatWork(difficultyLimit(send, 'difficulty')), 'ffffffffe0000000')
  }
})

test('a difficulty survives the way over its multiplier, as far as a double can say', () =>
  repeat(1000, (random) => {
    const base = random.pick([live, beta, dev]).send
    // From one to 2^64: how far a difficulty is below the largest one.
    const distance = TWO_64 - random.bigint(64)
    const back = TWO_64 - fromMultiplier(toMultiplier(TWO_64 - distance, base), base)
    const error = back > distance ? back - distance : distance - back
    assert.ok(error <= distance / 2n ** 50n + 1n, `${distance} became ${back}`)
  }))

test('a multiplier survives the way over its difficulty and never comes back easier', () =>
  repeat(1000, (random) => {
    const base = random.pick([live, beta, dev]).send
    // Not below 2^-10, which the easiest network needs.
    const multiplier = (random.below(1_000_000) + 63) / 1000 / 64
    const back = toMultiplier(fromMultiplier(multiplier, base), base)
    assert.ok(back >= multiplier * (1 - 2 ** -50) && back <= multiplier * (1 + 1e-5), `${multiplier} became ${back}`)
  }))

test('a power of two is exact in both directions, and multipliers beyond 64 bits end at the easiest and the hardest', () => {
  for (const { send } of [live, beta, dev]) {
    for (let power = -6; power <= 6; power++) {
      const difficulty = fromMultiplier(2 ** power, send)
      assert.equal(toMultiplier(difficulty, send), 2 ** power)
    }
    assert.equal(fromMultiplier(1e-300, send), 0n)
    assert.equal(fromMultiplier(Number.MIN_VALUE, send), 0n)
    assert.equal(fromMultiplier(1e300, send), TWO_64 - 1n)
    assert.equal(fromMultiplier(Infinity, send), TWO_64 - 1n)
  }
})

test('the hardest difficulty still has a multiplier in fixed notation, and work prints as sixteen lower-case digits', () => {
  for (const { send } of [live, beta, dev]) {
    assert.match(formatMultiplier(toMultiplier(TWO_64 - 1n, send)), /^[0-9]+\.[0-9]{15}$/)
    assert.match(formatMultiplier(toMultiplier(0n, send)), /^0\.[0-9]{15}$/)
  }
  assert.equal(formatWork(0n), '0000000000000000')
  assert.equal(formatWork(0xabcn), '0000000000000abc')
  assert.equal(formatWork(TWO_64 - 1n), 'ffffffffffffffff')
})
