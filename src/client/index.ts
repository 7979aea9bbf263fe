/* The package `@nano-gateway/client`. */
export {
  type ExactNanoPayload,
  type ExactNanoRequirements,
  type ExactNanoScheme,
  type WalletOptions,
  exactNano,
} from './exact-nano.ts'
export { GatewayError } from './gateway-error.ts'
export { type NameChange, signNameChange } from './names.ts'
export { receiveFunds } from './receive-funds.ts'
export { nano, raw } from './amounts.ts'
export type { CallOptions } from './call.ts'
export {
  type ActionName,
  type Actions,
  type Answer,
  type Gateway,
  type GatewayOptions,
  type Request,
  createGateway,
} from './gateway.ts'
