import type { Raw } from '../../kernel/money.ts'
import { type LeasePeriod, parsePeriod } from './domain/lease-period.ts'
import { type ValuesOf, BadSetting, PLANS_MAX, PRICE_MIN, nano, priced, setting } from '../../kernel/setting.ts'

/** How long a name may be leased for how much. */
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
