import type { SecretBox } from '../../kernel/ports.ts'
import type { CheckoutRoom } from '../checkout/index.ts'

/** The context of every function of this module. */
export interface PosRoom {
  checkouts: CheckoutRoom
  secrets: SecretBox
  /** The URL of a till. */
  urlOf(id: string): string
}
