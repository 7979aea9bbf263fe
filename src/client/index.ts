export { nano, raw } from './amounts.ts'
export { Budget, type BudgetOptions, type Paid } from './budget.ts'
export type { CallOptions } from './call.ts'
export type { Checkouts, NewCheckout, WaitOptions } from './checkouts.ts'
export type { Confirmation, ConfirmationOptions } from './confirmations.ts'
export {
  type ExactNanoPayload,
  type ExactNanoRequirements,
  type ExactNanoScheme,
  type WalletOptions,
  exactNano,
} from './exact-nano.ts'
export { GatewayError } from './gateway-error.ts'
export {
  type ActionName,
  type Actions,
  type Answer,
  type Gateway,
  type GatewayOptions,
  type PayOptions,
  type Request,
  createGateway,
} from './gateway.ts'
export type { Answers, Check, OwnCheckout, WebhookEvent } from './generated/answers.ts'
export type { Resources } from './resources.ts'
export type { Requests } from './generated/requests.ts'
export { type NameChange, signNameChange } from './names.ts'
export {
  type PaymentProof,
  type ProofVerdict,
  type ProofWeights,
  type VerifyOptions,
  describeVerdict,
  verifyProof,
} from '../kernel/nano/payment-proof.ts'
export { type Received, type Sent, type Wallet, type WalletKey, type WalletSettings, receiveFunds } from './wallet.ts'
export { type WebhookHeaders, type WebhookOptions, verifyWebhook } from './webhook.ts'
