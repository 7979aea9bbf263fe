import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addPeriod, parsePeriod } from './settings.ts'

test('titles of plans are read as periods, and nothing else is', () => {
  assert.deepEqual(parsePeriod('2 Days'), { count: 2, unit: 'day' })
  assert.deepEqual(parsePeriod('1 month'), { count: 1, unit: 'month' })
  assert.deepEqual(parsePeriod(' 10 Years '), { count: 10, unit: 'year' })
  for (const text of ['', 'Month', '0 Days', '1 Week', '1.5 Years', '101 Years', '-1 Days', '1 Month 2 Days']) {
    assert.equal(parsePeriod(text), undefined, text)
  }
})

// A month that begins on the 31st ends with the next month, and does not reach into the one after it.
test('periods follow the calendar of UTC and end with the month at the latest', () => {
  const after = (from: string, title: string) =>
    new Date(addPeriod(Date.parse(from), parsePeriod(title)!)).toISOString()
  assert.equal(after('2026-11-15T10:20:30.456Z', '2 Days'), '2026-11-17T10:20:30.456Z')
  assert.equal(after('2026-11-15T10:20:30.456Z', '1 Month'), '2026-12-15T10:20:30.456Z')
  assert.equal(after('2027-01-31T23:59:59.999Z', '1 Month'), '2027-02-28T23:59:59.999Z')
  assert.equal(after('2028-01-31T00:00:00.000Z', '1 Month'), '2028-02-29T00:00:00.000Z')
  assert.equal(after('2028-02-29T12:00:00.000Z', '1 Year'), '2029-02-28T12:00:00.000Z')
  assert.equal(after('2028-02-29T12:00:00.000Z', '10 Years'), '2038-02-28T12:00:00.000Z')
  assert.equal(after('2026-12-31T00:00:00.000Z', '2 Days'), '2027-01-02T00:00:00.000Z')
})
