export { cancelCheckout } from './domain/cancel-checkout.ts'
export { expireCheckout } from './domain/expire-checkout.ts'
export { fundAddress } from './domain/fund-address.ts'
export { type PayRequest, WAYS_TO_PAY, type WayToPay, payCheckout } from './domain/pay-checkout.ts'
