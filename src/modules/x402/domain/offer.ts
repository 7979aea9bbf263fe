import { fromAddress, toAddress } from '../../../kernel/nano/address.ts'
import { publicSchema } from '../../../kernel/public-schema.ts'
import { type Json, type JsonObject, textOf } from '../../../kernel/shape.ts'
import { checkAccepted, readAmount } from '../../../kernel/x402/payment-block.ts'
import { convertPrice } from '../../../kernel/x402/price.ts'
import {
  ASSET,
  type PaymentRequired,
  type PaymentTerms,
  type Reason,
  SCHEME,
  X402_VERSION,
  toMembers,
} from '../../../kernel/x402/wire.ts'
import { paymentUnavailable } from '../errors.ts'
import { isOffered, saveOffer } from '../store.ts'
import type { Good, Seller } from './facilitation.ts'

/** The terms for an action, and why it must be paid. */
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

/** The actions for sale, for programs that search: each is a resource with a URL of its own. */
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

/** The filters of a search, named as in the protocol; a missing one matches everything. */
export interface Sought {
  type?: string | undefined
  payTo?: string | undefined
  scheme?: string | undefined
  network?: string | undefined
  extensions?: string | undefined
  limit: number
  offset: number
}

/** The same list in the form of the extension `bazaar`, which clients request from a facilitator. */
export async function discoverResources(
  seller: Seller | undefined,
  { limit, offset, ...sought }: Sought,
  lastUpdated: string,
): Promise<JsonObject> {
  const all = await Promise.all(listGoods(seller).map(([seller, good]) => describeGood(seller, good)))
  const found = all.filter(({ type, extensions, accepts }) => {
    const [terms] = accepts
    const shown: Record<string, string> = { type, payTo: terms!.payTo, scheme: terms!.scheme, network: terms!.network }
    return Object.entries(sought).every(([name, value]) =>
      name === 'extensions'
        ? value === undefined || Object.hasOwn(extensions, value)
        : value === undefined || shown[name] === value,
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

/** How long an offered price stays valid: enough time to sign a block, too short to speculate. */
const OFFER_MILLISECONDS = 5 * 60_000

/** The current price of an action. */
async function currentTerms(seller: Seller, action: string): Promise<PaymentTerms> {
  const { network, payTo, timeoutSeconds } = seller
  const amount = (await amountOf(seller, action)).toString()
  return { scheme: SCHEME, network, amount, asset: ASSET, payTo, maxTimeoutSeconds: timeoutSeconds }
}

/** The current terms, recorded so that they can be paid for a while on every instance, even after a change of the price. */
export async function offerTerms(seller: Seller, action: string): Promise<PaymentTerms> {
  const terms = await currentTerms(seller, action)
  const { payTo, amount } = terms
  const { db, clock, failures } = seller.store
  const lost = failures.lost('x402.offer')
  const now = clock.now()
  // Terms that stay valid for at least half of that time are not written again. When the store fails now, these terms expire with the next change of
  // the price.
  const lasts = await isOffered(db, { action, payTo, amount }, now + OFFER_MILLISECONDS / 2).catch(lost)
  if (lasts === false) await saveOffer(db, { action, payTo, amount }, now + OFFER_MILLISECONDS).catch(lost)
  return terms
}

/** The terms a payer agreed to, if they are current or were offered recently. */
export async function agreedTerms(seller: Seller, action: string, accepted: unknown): Promise<PaymentTerms | Reason> {
  const terms = await currentTerms(seller, action)
  const reason = checkAccepted(accepted, terms)
  if (reason === undefined) return terms
  const { payTo, amount } = toMembers(accepted) ?? {}
  const recipient = fromAddress(textOf(payTo))
  if (recipient === undefined || readAmount(amount) === undefined) return reason
  const earlier = { ...terms, payTo: toAddress(recipient), amount: textOf(amount) }
  if (checkAccepted(accepted, earlier) !== undefined) return reason
  const { db, clock } = seller.store
  const offered = await isOffered(db, { action, payTo: earlier.payTo, amount: earlier.amount }, clock.now())
  return offered ? earlier : reason
}

async function amountOf({ goods, rates, network }: Seller, action: string): Promise<bigint> {
  const price = goods.get(action)?.price
  if (!price) throw new Error(`${action} has no price.`)
  if ('raw' in price) return price.raw
  try {
    const { rate } = await rates!.rate(price.currency)
    const amount = convertPrice(price.value, rate)
    if (amount === undefined) throw new Error(`${rate} is not a rate.`)
    return amount
  } catch (error) {
    throw paymentUnavailable(network, error)
  }
}

/** The JSON Schema dialect that the extension requires. */
const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

const exactly = (value: string) => ({ type: 'string', const: value })
const HTTP = {
  type: exactly('http'),
  method: { type: 'string', enum: ['POST'] },
  bodyType: { type: 'string', enum: ['json'] },
}

/** Input and output of an action in the form of the extension `bazaar` of x402. */
function describeForBazaar({ action: { input, example } }: Good): JsonObject {
  return toExtension(
    { body: example.request, bodySchema: publicSchema(input) as JsonObject },
    { type: 'json', example: example.response },
  )
}

/**
 * The same in few bytes, for the header of a challenge, because proxies refuse headers larger than a memory page. The types of fields stay, their
 * descriptions are left out.
 */
export function describeBriefly({ action: { input, example } }: Good): JsonObject {
  const { properties = {}, required } = publicSchema(input) as {
    properties?: Record<string, JsonObject>
    required?: Json
  }
  const types = Object.entries(properties).map(([name, { type }]) => [name, type === undefined ? {} : { type }])
  const bodySchema = {
    type: 'object',
    properties: Object.fromEntries(types),
    ...(required !== undefined && { required }),
  }
  return toExtension({ body: example.request, bodySchema }, { type: 'json' })
}

function toExtension(
  { body, bodySchema }: { body: JsonObject; bodySchema: JsonObject },
  output: JsonObject,
): JsonObject {
  return {
    info: { input: { type: 'http', method: 'POST', bodyType: 'json', body }, output },
    schema: {
      $schema: DIALECT,
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: { ...HTTP, body: bodySchema },
          required: ['type', 'method', 'bodyType', 'body'],
        },
        output: { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] },
      },
      required: ['input'],
    },
  }
}
