/** A stretch of the calendar. */
export interface LeasePeriod {
  count: number
  unit: 'day' | 'month' | 'year'
}

const COUNT_MAX = 100

/** `1 Month`, `2 Years`, as plans are titled; undefined when a text says no period. */
export function parsePeriod(text: string): LeasePeriod | undefined {
  const [, digits, word] = /^([1-9][0-9]{0,2}) (day|month|year)s?$/i.exec(text.trim()) ?? []
  const count = Number(digits)
  if (word === undefined || count > COUNT_MAX) return undefined
  return { count, unit: word.toLowerCase() as LeasePeriod['unit'] }
}

/** A time so much later, by the calendar of UTC: from a day that a month does not have, its last day. Milliseconds. */
export function addPeriod(at: number, { count, unit }: LeasePeriod): number {
  const date = new Date(at)
  if (unit === 'day') return date.setUTCDate(date.getUTCDate() + count)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + (unit === 'year' ? 12 * count : count))
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.setUTCDate(Math.min(day, last))
}
