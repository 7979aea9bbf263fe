import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateAt, dayOf, isDate, isTimeZone } from './calendar.ts'

const iso = (zone: string, date: string) => {
  const { from, to } = dayOf(zone, date)
  return [new Date(from).toISOString(), new Date(to).toISOString()]
}

test('a day ends at the midnight of its place, also where clocks are turned, and where there is no midnight', () => {
  assert.deepEqual(iso('UTC', '2026-11-16'), ['2026-11-16T00:00:00.000Z', '2026-11-17T00:00:00.000Z'])
  assert.deepEqual(iso('Europe/Berlin', '2026-07-01'), ['2026-06-30T22:00:00.000Z', '2026-07-01T22:00:00.000Z'])
  assert.deepEqual(iso('Europe/Berlin', '2026-03-29'), ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'], '23 h')
  assert.deepEqual(iso('Europe/Berlin', '2026-10-25'), ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'], '25 h')
  assert.deepEqual(iso('Asia/Kolkata', '2026-11-16'), ['2026-11-15T18:30:00.000Z', '2026-11-16T18:30:00.000Z'])
  assert.deepEqual(iso('Pacific/Kiritimati', '2027-01-01'), ['2026-12-31T10:00:00.000Z', '2027-01-01T10:00:00.000Z'])
  assert.deepEqual(iso('Pacific/Pago_Pago', '2027-01-01'), ['2027-01-01T11:00:00.000Z', '2027-01-02T11:00:00.000Z'])
  // On that day clocks went from 24:00 to 01:00.
  assert.deepEqual(iso('Africa/Cairo', '2026-04-24'), ['2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'])
})

test('every moment belongs to exactly one day', () => {
  for (const zone of ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Africa/Cairo', 'Australia/Lord_Howe']) {
    for (let at = Date.UTC(2026, 2, 1, 0, 7); at < Date.UTC(2026, 10, 20); at += 31 * 3_600_000) {
      const { from, to } = dayOf(zone, dateAt(zone, at))
      assert.ok(from <= at && at < to, `${zone} ${new Date(at).toISOString()}`)
    }
  }
})

test('invalid dates and time zones are recognised', () => {
  const texts = ['2026-02-28', '2026-02-29', '2026-13-01', '26-01-01', 'x']
  assert.deepEqual(texts.filter(isDate), ['2026-02-28'])
  assert.deepEqual(['Europe/Berlin', 'UTC', 'Mars/Base', ''].map(isTimeZone), [true, true, false, false])
})
