/*
 * `@nano-gateway/client/x402`: what buyers, sellers and facilitators need in addition to the standard packages of the
 * protocol.
 */
export { exactNano, type WalletOptions } from './exact-nano.ts'
export {
  ExactNanoScheme,
  type ExactNanoOptions,
  type Requirements,
  type Settlement,
  type Verification,
} from './exact-nano-scheme.ts'
export type { PaymentClaim, PaymentStore } from './payment-store.ts'
export { type Offer, type Payment, type Paywall, type PaywallOptions, paywall } from './paywall.ts'
export { receiveFunds } from './wallet.ts'
