export { cancelCheckout } from './domain/cancel-checkout.ts'
export { expireCheckout } from './domain/expire-checkout.ts'
export { fundAddress } from './domain/fund-address.ts'
export { WAYS_TO_PAY, payCheckout } from './domain/pay-checkout.ts'
