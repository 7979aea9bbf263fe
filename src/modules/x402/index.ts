export { challenge } from './domain/challenge.ts'
export { describeShop } from './domain/describe.ts'
export {
  type FacilitatorRequest,
  readFacilitatorRequest,
  settleForOthers,
  verifyForOthers,
} from './domain/facilitate.ts'
export { type PresentedPayment, readPayment } from './domain/read-payment.ts'
export { type Redeemed, redeem } from './domain/redeem.ts'
export { agreedTerms } from './domain/terms.ts'
export type { Shop, Till } from './domain/till.ts'
export { PaymentError, paymentRequired } from './errors.ts'
export { forgetPaid } from './jobs.ts'
