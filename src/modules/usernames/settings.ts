import type { Raw } from '../../kernel/money.ts'
import { BadSetting, PLANS_MAX, PRICE_MIN, type ValuesOf, nano, priced, setting } from '../../kernel/setting.ts'

/** The length and price of a lease. */
export interface NamePlan {
  title: string
  period: LeasePeriod
  price: Raw
}

const namePlans = (value: string): NamePlan[] => {
  const plans = priced(value).map(({ name: title, price }) => {
    const period = parsePeriod(title)
    if (!period) throw new BadSetting('must look like `1 Month=0.05, 1 Year=0.3`')
    return { title, period, price }
  })
  if (plans.length === 0 || plans.length > PLANS_MAX) throw new BadSetting(`must have 1 to ${PLANS_MAX} plans`)
  return plans
}

const priceInNano = (value: string) => {
  const price = nano(value)
  if (price < PRICE_MIN) throw new BadSetting('must be 0.000001 nano or more')
  return price
}

export const USERNAME_SETTINGS = {
  namePlans: setting(
    'NAME_PLANS',
    '2 Days=0.01, 1 Month=0.05, 1 Year=0.3, 2 Years=0.5, 5 Years=3, 10 Years=10',
    namePlans,
    'Lease periods of usernames and their prices in nano.',
  ),
  nameUpdatePrice: setting('NAME_UPDATE_PRICE', '0.001', priceInNano, 'What a change of a username costs, in nano.'),
} as const

export type UsernameSettings = ValuesOf<typeof USERNAME_SETTINGS>

/** A calendar period. */
export interface LeasePeriod {
  count: number
  unit: 'day' | 'month' | 'year'
}

const COUNT_MAX = 100

/** Reads `1 Month` or `2 Years`, as plans are titled; undefined when a text is not a period. */
export function parsePeriod(text: string): LeasePeriod | undefined {
  const [, digits, word] = /^([1-9][0-9]{0,2}) (day|month|year)s?$/i.exec(text.trim()) ?? []
  const count = Number(digits)
  if (word === undefined || count > COUNT_MAX) return undefined
  return { count, unit: word.toLowerCase() as LeasePeriod['unit'] }
}

/** Adds a period by the UTC calendar; a day that the month does not have becomes its last day. In milliseconds. */
export function addPeriod(at: number, { count, unit }: LeasePeriod): number {
  const date = new Date(at)
  if (unit === 'day') return date.setUTCDate(date.getUTCDate() + count)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + (unit === 'year' ? 12 * count : count))
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.setUTCDate(Math.min(day, last))
}
