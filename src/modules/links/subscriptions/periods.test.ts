import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Every, endOfPeriod, leadOf, toEvery } from './periods.ts'

const ends = (began: string, every: Every, ...periods: number[]) =>
  periods.map((count) => new Date(endOfPeriod(Date.parse(began), every, count)).toISOString().slice(0, 16))

test('months and years end where they began, also behind short months, and never drift', () => {
  const ofJanuary = ends('2027-01-31T10:30:00Z', 'month', 0, 1, 2, 3, 13, 25)
  assert.deepEqual(ofJanuary, [
    '2027-01-31T10:30',
    '2027-02-28T10:30',
    '2027-03-31T10:30',
    '2027-04-30T10:30',
    '2028-02-29T10:30',
    '2029-02-28T10:30',
  ])
  assert.deepEqual(ends('2028-02-29T00:00:00Z', 'year', 1, 4), ['2029-02-28T00:00', '2032-02-29T00:00'])
  assert.deepEqual(ends('2027-03-27T23:59:00Z', '30', 1, 2), ['2027-04-26T23:59', '2027-05-26T23:59'])
  for (let periods = 1; periods < 500; periods++) {
    const [one, next] = [endOfPeriod(0, 'month', periods), endOfPeriod(0, 'month', periods + 1)]
    assert.ok(next > one && new Date(next).getUTCDate() === 1)
  }
})

test('a payer is reminded three days before the end, and of a short period in its middle', () => {
  const hours = (every: Every) => leadOf(Date.parse('2027-01-31T10:30:00Z'), every, 1) / 3_600_000
  assert.deepEqual([hours('month'), hours('year'), hours('6'), hours('2'), hours('1')], [72, 72, 72, 24, 12])
})

test('invalid periods are recognised', () => {
  assert.deepEqual(['month', ' Year ', 30, '7 days', '366'].map(toEvery), ['month', 'year', '30', '7', '366'])
  assert.deepEqual(
    ['week', 0, '0', 367, -1, 1.5, '1e2', null, {}, 'month; drop'].map(toEvery),
    Array.from({ length: 10 }, () => undefined),
  )
})
