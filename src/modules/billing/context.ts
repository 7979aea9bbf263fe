import type { CheckoutContext } from '../checkout/index.ts'
import type { CreditPlan } from './settings.ts'

/** The context in which the service's offers are made. */
export interface OfferContext {
  checkouts: CheckoutContext
  /** Maximum of offers that one caller may request in a day; 0 means no limit. */
  offersPerDayMax: number
}

export interface BillingContext extends OfferContext {
  creditPlans: readonly CreditPlan[]
}
