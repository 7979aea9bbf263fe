import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HashRate } from './cpu.ts'

test('begins with a guess and approaches what is measured', () => {
  const rate = new HashRate(1_000)
  rate.start(0, 0)
  let last = rate.perSecond
  for (let second = 1; second <= 60; second++) {
    rate.look(second * 1000, second * 9_000)
    assert.ok(rate.perSecond > last)
    last = rate.perSecond
  }
  assert.ok(Math.abs(last - 9_000) < 50)
})

test('time between searches does not count, nor a span of a few milliseconds', () => {
  const rate = new HashRate(1_000)
  rate.start(0, 0)
  rate.stop(1_000, 1_000)
  rate.look(500_000, 1_000)
  rate.start(600_000, 1_000)
  rate.stop(601_000, 2_000)
  assert.equal(rate.perSecond, 1_000)
  rate.start(700_000, 2_000)
  rate.stop(700_003, 2_000)
  assert.equal(rate.perSecond, 1_000)
})
