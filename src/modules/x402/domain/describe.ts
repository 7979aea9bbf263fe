import type { JsonObject } from '../../../kernel/shape.ts'
import { X402_VERSION } from '../../../kernel/x402/wire.ts'
import { describeForBazaar } from './bazaar.ts'
import { currentTerms } from './terms.ts'
import type { Seller } from './facilitation.ts'
import type { Good } from './goods.ts'

/** What is for sale here, for programs that look around: each action is a resource with an address of its own. */
export async function describeOffers(seller: Seller | undefined): Promise<JsonObject> {
  const items = await Promise.all(
    listGoods(seller).map(async ([seller, good]) => ({
      ...(await describeGood(seller, good)),
      method: 'POST',
      body: { action: good.action.name },
    })),
  )
  return { version: 1, x402Version: X402_VERSION, resources: items.map(({ resource }) => resource), items }
}

/** What a program looks for, in the words of the protocol; what is not said does not matter. */
export interface Sought {
  type?: string | undefined
  payTo?: string | undefined
  scheme?: string | undefined
  network?: string | undefined
  extensions?: string | undefined
  limit: number
  offset: number
}

/** The same list as clients of the extension `bazaar` ask a facilitator for it. */
export async function discoverResources(
  seller: Seller | undefined,
  { limit, offset, ...sought }: Sought,
  lastUpdated: string,
): Promise<JsonObject> {
  const all = await Promise.all(listGoods(seller).map(([seller, good]) => describeGood(seller, good)))
  const found = all.filter(({ type, extensions, accepts }) => {
    const [terms] = accepts
    const told: Record<string, string> = { type, payTo: terms!.payTo, scheme: terms!.scheme, network: terms!.network }
    return Object.entries(sought).every(([name, value]) =>
      name === 'extensions'
        ? value === undefined || Object.hasOwn(extensions, value)
        : value === undefined || told[name] === value,
    )
  })
  return {
    x402Version: X402_VERSION,
    items: found.slice(offset, offset + limit).map((item) => ({ ...item, lastUpdated })),
    pagination: { limit, offset, total: found.length },
  }
}

const listGoods = (seller: Seller | undefined) =>
  seller ? [...seller.goods.values()].map((good) => [seller, good] as const) : []

async function describeGood(seller: Seller, good: Good) {
  const { name, summary } = good.action
  return {
    resource: seller.resourceUrl(name),
    type: 'http',
    x402Version: X402_VERSION,
    description: summary,
    mimeType: 'application/json',
    accepts: [await currentTerms(seller, name)],
    extensions: { bazaar: describeForBazaar(good) },
  }
}
