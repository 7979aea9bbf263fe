/* What the package exports as `nano-gateway/x402`: payments in nano for the clients of the protocol's own packages. */
export { type ExactNanoPayload, type ExactNanoRequirements, type ExactNanoScheme, exactNano } from './exact-nano.ts'
export { receiveFunds } from './receive-funds.ts'
export type { WalletOptions } from './wallet.ts'
