import { type PaymentRequired, X402_VERSION } from '../../../kernel/x402/wire.ts'
import { describeBriefly } from './bazaar.ts'
import { offerTerms } from './terms.ts'
import type { Seller } from './facilitation.ts'

/** What to pay for an action, and why it is asked for. */
export async function challenge(seller: Seller, name: string, error: string): Promise<PaymentRequired> {
  const good = seller.goods.get(name)!
  const terms = await offerTerms(seller, name)
  return {
    x402Version: X402_VERSION,
    error,
    ...terms,
    resource: { url: seller.resourceUrl(name), description: name, mimeType: 'application/json' },
    accepts: [terms],
    extensions: { bazaar: describeBriefly(good) },
  }
}
