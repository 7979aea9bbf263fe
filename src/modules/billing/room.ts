import type { CheckoutRoom } from '../checkout/index.ts'
import type { CreditPlan } from './settings.ts'

/** What offers of the service's own are made with. */
export interface OfferRoom {
  checkouts: CheckoutRoom
  /** Offers that one caller may ask for in a day; 0 means no limit. */
  offersPerDayMax: number
}

export interface BillingRoom extends OfferRoom {
  creditPlans: readonly CreditPlan[]
}
