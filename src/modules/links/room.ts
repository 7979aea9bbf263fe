import type { SecretBox } from '../../kernel/ports.ts'
import type { CheckoutRoom } from '../checkout/index.ts'

/** The context of every function of this module. */
export interface LinkRoom {
  checkouts: CheckoutRoom
  secrets: SecretBox
  /** The public URL of a link. */
  urlOf(slug: string): string
}
