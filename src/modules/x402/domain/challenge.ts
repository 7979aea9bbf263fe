import { type PaymentRequired, X402_VERSION } from '../../../kernel/x402/wire.ts'
import { offerTerms } from './terms.ts'
import type { Seller } from './facilitation.ts'

/** What to pay for an action, and why it is asked for. */
export async function challenge(seller: Seller, action: string, error: string): Promise<PaymentRequired> {
  const terms = await offerTerms(seller, action)
  const resource = { url: seller.resourceUrl(), description: action, mimeType: 'application/json' }
  return { x402Version: X402_VERSION, error, ...terms, resource, accepts: [terms] }
}
