import type { SecretBox } from '../../kernel/ports.ts'
import type { CheckoutRoom } from '../checkout/index.ts'

/** What the verbs of links work with. */
export interface LinkRoom {
  checkouts: CheckoutRoom
  secrets: SecretBox
  /** Where people find a link. */
  urlOf(slug: string): string
}

export const secretContext = (linkId: string) => `payment link ${linkId}`
