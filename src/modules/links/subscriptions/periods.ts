const DAY = 86_400_000
/** How long before the end of a period its payer is reminded; for short periods, in the middle. */
const LEAD = 3 * DAY
const DAYS_MAX = 366

/** The period of a subscription: a calendar month or year, or a number of days. */
export type Every = 'month' | 'year' | `${number}`

/** Reads `month`, `year` or a whole number of days such as `30 days`; undefined for anything else. */
export function toEvery(value: unknown): Every | undefined {
  const text = (typeof value === 'number' || typeof value === 'string' ? String(value) : '').trim().toLowerCase()
  if (text === 'month' || text === 'year') return text
  const [, days] = /^([1-9][0-9]{0,2})(?: days?)?$/.exec(text) ?? []
  return days === undefined || Number(days) > DAYS_MAX ? undefined : (days as Every)
}

/**
 * The end of the n-th period, always counted from the beginning: one that begins on 31 January ends on 28 February and then on 31 March,
 * without drifting to the 28th.
 */
export function endOfPeriod(beganAt: number, every: Every, periods: number): number {
  if (every !== 'month' && every !== 'year') return beganAt + periods * Number(every) * DAY
  const began = new Date(beganAt)
  const months = began.getUTCMonth() + (every === 'year' ? 12 : 1) * periods
  const year = began.getUTCFullYear()
  const lastDay = new Date(Date.UTC(year, months + 1, 0)).getUTCDate()
  const midnight = Date.UTC(year, months, Math.min(began.getUTCDate(), lastDay))
  return midnight + (beganAt - Date.UTC(year, began.getUTCMonth(), began.getUTCDate()))
}

/** How long before the end of its n-th period a subscription is due. */
export function leadOf(beganAt: number, every: Every, periods: number): number {
  const length = endOfPeriod(beganAt, every, periods) - endOfPeriod(beganAt, every, periods - 1)
  return Math.min(LEAD, length / 2)
}
