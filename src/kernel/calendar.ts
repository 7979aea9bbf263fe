const HOUR = 3_600_000
const MINUTE = 60_000
/** In no time zone is midnight further away from that of UTC. */
const FARTHEST = 16 * HOUR
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/

export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    // The constructor throws for an unknown time zone.
    return false
  }
}

/** The local date in a time zone, as 2027-01-31. */
export const dateAt = (zone: string, at: number) => calendarOf(zone)(at)

/** Made once for many calls, because making it is slow. */
function calendarOf(zone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
    return `${parts.get('year')!.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
  }
}

/** Whether a text is a date that exists. */
export function isDate(text: string): boolean {
  const at = DATE.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** The first moment of a local date, and the first moment after it, 23 to 25 hours later. */
export function dayOf(zone: string, date: string): { from: number; to: number } {
  const next = new Date(Date.parse(date) + 24 * HOUR).toISOString().slice(0, 10)
  const calendar = calendarOf(zone)
  return { from: firstMoment(calendar, date), to: firstMoment(calendar, next) }
}

/** The first moment of a local month, as 2027-01, and the first after it. */
export function monthOf(zone: string, month: string): { from: number; to: number } {
  const calendar = calendarOf(zone)
  return { from: firstMoment(calendar, `${month}-01`), to: firstMoment(calendar, `${monthAfter(month, 1)}-01`) }
}

/** The month that is so many months later; negative for earlier. */
export function monthAfter(month: string, months: number): string {
  const [year, of] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, of - 1 + months, 1)).toISOString().slice(0, 7)
}

/** Returns a function for local date and time in a zone, as 2027-01-31 14:05; making it is slow, so make it once. */
export function wallClockOf(zone: string): (at: number) => string {
  const calendar = calendarOf(zone)
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    numberingSystem: 'latn',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return (at) => `${calendar(at)} ${clock.format(at)}`
}

/** A binary search, because in some zones some days have no midnight. */
function firstMoment(calendar: (at: number) => string, date: string): number {
  const utc = Date.parse(date)
  let [before, by] = [(utc - FARTHEST) / MINUTE, (utc + FARTHEST) / MINUTE]
  while (by - before > 1) {
    const middle = Math.floor((before + by) / 2)
    if (calendar(middle * MINUTE) >= date) by = middle
    else before = middle
  }
  return by * MINUTE
}
