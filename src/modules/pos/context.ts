import type { SecretBox } from '../../kernel/ports.ts'
import type { CheckoutContext } from '../checkout/index.ts'

/** The context of every function of this module. */
export interface PosContext {
  checkouts: CheckoutContext
  secrets: SecretBox
  /** The URL of a till. */
  urlOf(id: string): string
}
