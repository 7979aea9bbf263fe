import type { JsonObject } from '../../../kernel/shape.ts'
import { X402_VERSION } from '../../../kernel/x402/wire.ts'
import { currentTerms } from './terms.ts'
import type { Seller } from './facilitation.ts'

/** What is for sale here, for programs that look around. All of it is asked for at one address. */
export async function describeOffers(seller: Seller | undefined): Promise<JsonObject> {
  if (!seller) return { version: 1, x402Version: X402_VERSION, resources: [], items: [] }
  const url = seller.resourceUrl()
  const items = await Promise.all(
    [...seller.prices.keys()].map(async (action) => ({
      resource: url,
      type: 'http',
      method: 'POST',
      x402Version: X402_VERSION,
      body: { action },
      accepts: [await currentTerms(seller, action)],
    })),
  )
  return { version: 1, x402Version: X402_VERSION, resources: items.length > 0 ? [url] : [], items }
}
