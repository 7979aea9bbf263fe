import { type PaymentRequired, X402_VERSION } from '../../../kernel/x402/wire.ts'
import { offerTerms } from './terms.ts'
import type { Shop } from './till.ts'

/** What to pay for an action, and why it is asked for. */
export async function challenge(shop: Shop, action: string, error: string): Promise<PaymentRequired> {
  const terms = await offerTerms(shop, action)
  const resource = { url: shop.resourceUrl(), description: action, mimeType: 'application/json' }
  return { x402Version: X402_VERSION, error, ...terms, resource, accepts: [terms] }
}
