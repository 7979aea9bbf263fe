import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEnd, readMoment, readPeriod } from './period.ts'

const NOW = Date.UTC(2026, 2, 31, 12)
const iso = (at: number) => new Date(at).toISOString()

test('periods are read by a fixed grammar, in UTC: weeks begin on Monday, months end on the last day there is', () => {
  const both = (text: string) => [iso(readPeriod(text, NOW).from), iso(readPeriod(text, NOW).to)]
  // 31 March 2026 is a Tuesday.
  const begins = {
    'last 30 days': '2026-03-01T12:00:00.000Z',
    'Past 1 week': '2026-03-24T12:00:00.000Z',
    'last 1 month': '2026-02-28T12:00:00.000Z',
    'last 1 year': '2025-03-31T12:00:00.000Z',
    'last 36 hours': '2026-03-30T00:00:00.000Z',
    today: '2026-03-31T00:00:00.000Z',
    yesterday: '2026-03-30T00:00:00.000Z',
    'this week': '2026-03-30T00:00:00.000Z',
    'this month': '2026-03-01T00:00:00.000Z',
    'this year': '2026-01-01T00:00:00.000Z',
  }
  for (const [text, from] of Object.entries(begins)) assert.equal(both(text)[0], from, text)
  for (const text of ['this week', 'this year']) assert.equal(both(text)[1], iso(NOW + 1))
  assert.deepEqual(both('last week'), ['2026-03-23T00:00:00.000Z', '2026-03-30T00:00:00.000Z'])
  assert.deepEqual(both('last month'), ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'])
  assert.deepEqual(both('last year'), ['2025-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'])
})

test('400 anything else, with the field named', () => {
  for (const text of ['last days', 'last 0 days', 'next 3 days', 'last 3 fortnights', '', 'last 99999 days']) {
    assert.throws(() => readPeriod(text, NOW), { status: 400, body: { field: 'query' } })
  }
})

test('a moment is a date, an ISO time or unix seconds; a day as an end is the whole day', () => {
  assert.equal(readEnd('to', '2026-03-01'), Date.UTC(2026, 2, 2))
  assert.equal(readEnd('to', '2026-03-01T10:00:00Z'), Date.UTC(2026, 2, 1, 10))
  assert.equal(readMoment('from', '2026-03-01'), Date.UTC(2026, 2, 1))
  assert.equal(readMoment('from', '2026-03-01T10:00:00Z'), Date.UTC(2026, 2, 1, 10))
  assert.equal(readMoment('from', 1_760_000_000), 1_760_000_000_000)
  for (const value of ['yesterday', '2026-3-1', {}, true]) {
    assert.throws(() => readMoment('to', value), { status: 400, body: { field: 'to' } })
  }
})
