import type { SecretBox } from '../../kernel/ports.ts'
import type { CheckoutContext } from '../checkout/index.ts'

/** The context of every function of this module. */
export interface LinkContext {
  checkouts: CheckoutContext
  secrets: SecretBox
  /** The public URL of a link. */
  urlOf(slug: string): string
}
