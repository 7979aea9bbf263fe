import { badField } from '../errors.ts'

/** The first moment is included, the last is not. */
interface Period {
  from: number
  to: number
}

const DAY = 86_400_000
const HOUR = 3_600_000
const COUNTED = /^(?:last|past)\s+([0-9]{1,4})\s+(hour|day|week|month|year)s?$/
const DATE = /^\d{4}-\d{2}-\d{2}$/
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** Reads a period written in words by a fixed grammar, in UTC; refuses anything else (contract 4.3, rule 2). */
export function readPeriod(text: unknown, now: number): Period {
  const words = typeof text === 'string' ? text.trim().toLowerCase().replace(/\s+/g, ' ') : ''
  const today = startOfDay(now)
  const month = startOfMonth(now, 0)
  const week = startOfWeek(now)
  const year = startOfYear(now, 0)
  if (words === 'today') return { from: today, to: now + 1 }
  if (words === 'yesterday') return { from: today - DAY, to: today }
  if (words === 'this month') return { from: month, to: now + 1 }
  if (words === 'last month') return { from: startOfMonth(now, -1), to: month }
  if (words === 'this week') return { from: week, to: now + 1 }
  if (words === 'last week') return { from: week - 7 * DAY, to: week }
  if (words === 'this year') return { from: year, to: now + 1 }
  if (words === 'last year') return { from: startOfYear(now, -1), to: year }
  const [, count, unit] = COUNTED.exec(words) ?? []
  if (count === undefined || Number(count) === 0) {
    throw badField(
      'query',
      'query must be like last 30 days, past 12 hours, today, yesterday, this week, last month, last year.',
    )
  }
  return { from: before(now, Number(count), unit!), to: now + 1 }
}

/** A day or a moment, as ISO text or unix seconds. */
export function readMoment(field: string, value: unknown): number {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && /^[0-9]{1,10}$/.test(text)) return Number(text) * 1_000
  const at = typeof text === 'string' && ISO_DATE.test(text) ? Date.parse(text) : NaN
  if (Number.isNaN(at)) throw badField(field, `${field} must be a date such as 2026-11-15, or unix seconds.`)
  return at
}

/** The end of a period, exclusive: a day that is named as the end is included whole. */
export function readEnd(field: string, value: unknown): number {
  const at = readMoment(field, value)
  return typeof value === 'string' && DATE.test(value) ? at + DAY : at
}

function startOfDay(now: number): number {
  return now - (now % DAY)
}

function startOfMonth(now: number, months: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
}

/** The start of this week, which begins on Monday. */
function startOfWeek(now: number): number {
  const day = (new Date(now).getUTCDay() + 6) % 7
  return startOfDay(now) - day * DAY
}

function startOfYear(now: number, years: number): number {
  return Date.UTC(new Date(now).getUTCFullYear() + years, 0, 1)
}

/** Months differ in length: a date past the end of a month becomes its last day. */
function before(now: number, count: number, unit: string): number {
  if (unit === 'hour') return now - count * HOUR
  if (unit === 'day') return now - count * DAY
  if (unit === 'week') return now - count * 7 * DAY
  const months = unit === 'year' ? count * 12 : count
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() - months]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) + (now % DAY)
}
