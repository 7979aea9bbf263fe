import { NanoPaymentProvider } from './provider.ts'

export { NanoPaymentError } from './errors.ts'
export type { NanoOptions } from './options.ts'
export { NanoPaymentProvider } from './provider.ts'
export { readPayment } from './route.ts'

/** The form of Medusa's `ModuleProvider`. */
export default { module: 'payment', services: [NanoPaymentProvider] }
