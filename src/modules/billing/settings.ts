import type { Raw } from '../../kernel/money.ts'
import { type ValuesOf, BadSetting, PLANS_MAX, priced, setting, whole } from '../../kernel/setting.ts'

export interface CreditPlan {
  credits: number
  price: Raw
}

const creditPlans = (value: string): CreditPlan[] => {
  const plans = priced(value).map(({ name, price }) => ({ credits: whole(1, 1_000_000_000)(name), price }))
  if (plans.length === 0 || plans.length > PLANS_MAX) throw new BadSetting(`must have 1 to ${PLANS_MAX} plans`)
  return plans
}

export const BILLING_SETTINGS = {
  creditPlans: setting(
    'CREDIT_PLANS',
    '1000=0.2, 10000=2, 20000=4',
    creditPlans,
    'Credits on sale: how many, and their price in nano.',
  ),
  offersPerDayMax: setting(
    'OFFERS_PER_DAY_MAX',
    '1000',
    whole(0),
    'Offers of names, changes and credits that one caller may request per day; 0 means no limit.',
  ),
} as const

export type BillingSettings = ValuesOf<typeof BILLING_SETTINGS>
