import { checkAccepted, checkRecipient, readPayload, readPaymentBlock } from '../kernel/x402/payment-block.ts'
import { ASSET, REASONS, SCHEME, X402_VERSION, decodeHeader, encodeHeader, isReason } from '../kernel/x402/wire.ts'
import { fromAddress } from '../kernel/nano/address.ts'
import { ExactNanoScheme, type Requirements, type Settlement, priceText, settle } from './exact-nano-scheme.ts'
import type { Fetch } from './ledger-rpc.ts'
import { MemoryPayments, type PaymentStore } from './payment-store.ts'

export interface PaywallOptions {
  /** Where the money goes; use the address for nothing else. */
  payTo: string
  /** The facilitator of a gateway that you trust, for instance `https://rpc.example/facilitator`. */
  facilitator: string
  /** `nano:mainnet` by default; `nano:dev` on the development ledger. */
  network?: `${string}:${string}` | undefined
  /** Address of this service, for the challenge; by default only the path is named. */
  baseUrl?: string | undefined
  /** How long to wait until the payment is confirmed; 60 by default. */
  maxTimeoutSeconds?: number | undefined
  /** Where payments are remembered; by default in the memory of this process. */
  store?: PaymentStore | undefined
  fetch?: Fetch | undefined
}

export interface Offer {
  /** In nano: `'0.01'`. */
  price: string | number
  description?: string | undefined
}

/** What was paid for a request. */
export interface Payment {
  /** Hash of the block. One payment pays for one request, which may arrive again: act once for each hash. */
  transaction: string
  payer: string | undefined
  /** In raw. */
  amount: bigint
}

interface Refusal {
  status: 402 | 503
  headers: Record<string, string>
  body: Record<string, unknown>
}

type Outcome = { payment: Payment; headers: Record<string, string> } | Refusal

/** If a reply is lost, the client may repeat its request within this time and is served for the same payment. */
const REPEATED_MILLISECONDS = 60_000
const PENDING = 'settlement_pending'

interface ExpressRequest {
  method: string
  originalUrl: string
  get(name: string): string | undefined
}

interface ExpressResponse {
  locals: Record<string, unknown>
  set(headers: Record<string, string>): unknown
  status(code: number): { json(body: unknown): unknown }
}

interface HonoContext {
  req: { method: string; url: string; header(name: string): string | undefined }
  set(name: 'payment', value: Payment): void
  header(name: string, value: string): void
  json(body: Record<string, unknown>, status: 402 | 503, headers: Record<string, string>): Response
}

export interface Paywall {
  /** Express middleware to put before your handler; `response.locals.payment` is the payment. */
  express(offer: Offer): (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => void
  /** The same for Hono; `context.get('payment')` is the payment. */
  hono(offer: Offer): (context: HonoContext, next: () => Promise<void>) => Promise<Response | void>
}

/** Sells answers of a server one request at a time (x402): the payment is settled and confirmed before anything is served. */
export function paywall(options: PaywallOptions): Paywall {
  const {
    payTo,
    network = 'nano:mainnet',
    maxTimeoutSeconds = 60,
    baseUrl = '',
    store = new MemoryPayments(),
  } = options
  if (fromAddress(payTo) === undefined) throw new TypeError('payTo is not an address.')
  const scheme = new ExactNanoScheme()

  async function gate(offer: Offer, method: string, path: string, header: string | undefined): Promise<Outcome> {
    const { amount } = await scheme.parsePrice(offer.price)
    const terms: Requirements = { scheme: SCHEME, network, amount, asset: ASSET, payTo, maxTimeoutSeconds, extra: {} }
    const refuse = (reason: string, moreHeaders: Record<string, string> = {}) =>
      challenge(terms, { url: `${baseUrl}${path}`, description: offer.description ?? path, reason, moreHeaders })
    if (header === undefined || header === '') return refuse('PAYMENT-SIGNATURE header is required')
    const members = decodeHeader(header)
    const payload = members ? readPayload(members) : 'invalid_payload'
    if (typeof payload === 'string') return refuse(payload)
    const block = readPaymentBlock(payload.payload.block)
    if (!block) return refuse('invalid_exact_nano_payload_block')
    const wrong = checkAccepted(payload.accepted, terms) ?? checkRecipient(block, terms)
    if (wrong) return refuse(wrong)
    const request = `${method} ${path}`
    const claim = await store.claim(block.hash, { request, key: crypto.randomUUID() })
    // A confirmed block is public, so after this time anybody could present it.
    const isOver = claim.settledAt !== undefined && claim.settledAt + REPEATED_MILLISECONDS < Date.now()
    if (claim.request !== request || isOver) return refuse('duplicate_settlement')
    const settled = await settleClaim(options, { payload: members!, requirements: terms, key: claim.key }, block.hash)
    if (settled.success && claim.settledAt === undefined) await store.settled(block.hash, Date.now())
    if (settled.success) {
      const payment = { transaction: block.hash, payer: settled.payer, amount: BigInt(amount) }
      return { payment, headers: { 'PAYMENT-RESPONSE': encodeHeader(settled) } }
    }
    if (settled.errorReason === PENDING) return pending(settled)
    await store.forget(block.hash)
    return refuse(settled.errorReason ?? 'invalid_transaction_state', { 'PAYMENT-RESPONSE': encodeHeader(settled) })
  }

  return {
    express: (offer) => (request, response, next) => {
      gate(offer, request.method, request.originalUrl, request.get('payment-signature')).then((outcome) => {
        response.set(outcome.headers)
        if ('status' in outcome) return void response.status(outcome.status).json(outcome.body)
        response.locals.payment = outcome.payment
        next()
      }, next)
    },
    hono: (offer) => async (context, next) => {
      const { method, url } = context.req
      const { pathname, search } = new URL(url)
      const outcome = await gate(offer, method, `${pathname}${search}`, context.req.header('payment-signature'))
      if ('status' in outcome) return context.json(outcome.body, outcome.status, outcome.headers)
      context.set('payment', outcome.payment)
      await next()
      for (const [name, value] of Object.entries(outcome.headers)) context.header(name, value)
      return undefined
    },
  }
}

const EXPOSED = {
  'Cache-Control': 'no-store',
  'Access-Control-Expose-Headers': 'PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After',
}

interface ChallengeParts {
  url: string
  description: string
  reason: string
  moreHeaders: Record<string, string>
}

function challenge(terms: Requirements, { url, description, reason, moreHeaders }: ChallengeParts): Refusal {
  const resource = { url, description, mimeType: 'application/json' }
  const required = { x402Version: X402_VERSION, error: reason, resource, accepts: [terms] }
  const message = isReason(reason) ? REASONS[reason] : `This costs ${priceText(terms.amount)}.`
  return {
    status: 402,
    headers: { ...EXPOSED, 'PAYMENT-REQUIRED': encodeHeader(required), ...moreHeaders },
    body: { ...required, error: message, message, code: isReason(reason) ? reason : 'payment_required' },
  }
}

/** Never 402, because a client would pay a second time. */
function pending(settled: Settlement): Refusal {
  const message = 'The payment is not confirmed yet. Do not pay again: send the same request again.'
  return {
    status: 503,
    headers: { ...EXPOSED, 'Retry-After': '5', 'PAYMENT-RESPONSE': encodeHeader(settled) },
    body: { error: message, message, code: PENDING, transaction: settled.transaction, retry_after: 5 },
  }
}

/**
 * Settles a payment. If there is no answer, or an answer about another block, the payment may be on the ledger: the
 * caller gets 503.
 */
async function settleClaim(
  options: PaywallOptions,
  what: { payload: object; requirements: Requirements; key: string },
  hash: string,
): Promise<Settlement> {
  const unknown = { success: false, errorReason: PENDING, transaction: hash, network: what.requirements.network }
  try {
    const settled = await settle(options, what)
    return settled.success && settled.transaction !== hash ? unknown : settled
  } catch {
    return unknown
  }
}
