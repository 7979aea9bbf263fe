import type { SecretBox } from '../../kernel/ports.ts'
import type { CheckoutRoom } from '../checkout/index.ts'

/** What the verbs of points of sale work with. */
export interface PosRoom {
  checkouts: CheckoutRoom
  secrets: SecretBox
  /** Where cashiers find one. */
  urlOf(id: string): string
}

export const tokenContext = (posId: string) => `point of sale ${posId}`
