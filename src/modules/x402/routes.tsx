import type { Route } from '../../kernel/route.ts'
import { badField } from '../../kernel/errors.ts'
import { readWhole } from '../../kernel/paging.ts'
import { type Sought, describeOffers, discoverResources } from './domain/offer.ts'
import {
  describeFacilitator,
  readFacilitatorRequest,
  readSettleKey,
  settleForOthers,
  verifyForOthers,
} from './domain/facilitate.ts'
import type { Seller, Facilitation } from './domain/facilitation.ts'
import { PaymentError } from './errors.ts'
import { answer } from '../../kernel/answers.ts'
import type { Described } from '../../kernel/described.ts'
import { DISCOVERED, FACILITATED, FACILITATOR, SETTLED, SHOP, SUPPORTED, VERIFIED } from './answers.ts'
import { FacilitatorPage } from './pages/facilitator-page.tsx'

/** A payment and its terms take about 2,000 bytes. */
const BODY_BYTES_MAX = 64 * 1024
const SENT = { method: 'POST', bodyBytesMax: BODY_BYTES_MAX } as const

interface X402RoutesPorts {
  facilitation: Facilitation
  seller: Seller | undefined
  baseUrl(): string
  /** Whether this is a development ledger: its page says so. */
  devnet: boolean
}

/**
 * The actions for sale by request, and a facilitator that any service may use (contract 4.7). Its answers have the protocol's shapes: every outcome
 * is 200, and 503 means that there is none. Other services read the verdict in a refusal, not our error codes.
 */
export function x402Routes({ facilitation, seller, baseUrl, devnet }: X402RoutesPorts): readonly Route[] {
  const openedAt = new Date(facilitation.store.clock.now()).toISOString()
  return [
    // The first path is for clients of a facilitator, the second for programs that know only our domain.
    ...['/facilitator/discovery/resources', '/discovery/resources'].map((path): Route => ({
      method: 'GET',
      path,
      access: 'anyone',
      run: async ({ query }) => ({ json: await discoverResources(seller, readSought(query), openedAt) }),
    })),
    {
      method: 'GET',
      path: '/.well-known/x402',
      access: 'anyone',
      run: async () => ({ json: await describeOffers(seller) }),
    },
    {
      method: 'GET',
      path: '/facilitator',
      access: 'anyone',
      async run({ header, query }) {
        const facts = await describeFacilitator(facilitation, baseUrl())
        // Programs that name no type get JSON; `curl` is one of them.
        const isPage = /\btext\/html\b/.test(header('accept') ?? '') && query.json !== 'true'
        const headers = { vary: 'accept' }
        return isPage ? { page: <FacilitatorPage facts={facts} devnet={devnet} />, headers } : { json: facts, headers }
      },
    },
    {
      method: 'GET',
      path: '/facilitator/supported',
      access: 'anyone',
      run: async () => ({ json: await facilitation.own.getSupported() }),
    },
    {
      ...SENT,
      path: '/facilitator/verify',
      access: 'anyone',
      run: async ({ body }) => ({ json: await verifyForOthers(facilitation, readFacilitatorRequest(body('needed'))) }),
      explain: (error) =>
        error instanceof PaymentError ? { isValid: false, invalidReason: 'unexpected_verify_error' } : {},
    },
    {
      ...SENT,
      path: '/facilitator/settle',
      access: 'anyone',
      run: async ({ body, header }) => ({
        json: await settleForOthers(facilitation, {
          ...readFacilitatorRequest(body('needed')),
          key: readSettleKey(header('idempotency-key')),
        }),
      }),
      explain: (error) => (error instanceof PaymentError ? { ...error.settlement } : {}),
    },
  ]
}

const LISTED_MAX = 100
const WORDS = ['type', 'payTo', 'scheme', 'network', 'extensions'] as const

function readSought(query: Readonly<Record<string, unknown>>): Sought {
  const words = WORDS.map((name) => {
    const value = query[name]
    if (value !== undefined && typeof value !== 'string') throw badField(name, `${name} must be given once.`)
    return [name, value === '' ? undefined : value] as const
  })
  return {
    ...Object.fromEntries(words),
    limit: readWhole('limit', query.limit, { min: 1, max: LISTED_MAX, otherwise: LISTED_MAX }),
    offset: readWhole('offset', query.offset, { min: 0, max: 1_000_000, otherwise: 0 }),
  }
}

const SOUGHT = [
  { name: 'type', schema: answer.text, description: 'Only resources of this protocol: `http`.' },
  { name: 'payTo', schema: answer.text, description: 'Only what is paid to this address.' },
  { name: 'scheme', schema: answer.text, description: 'Only what is paid by this scheme: `exact`.' },
  { name: 'network', schema: answer.text, description: 'Only what is paid on this network, such as `nano:mainnet`.' },
  { name: 'extensions', schema: answer.text, description: 'Only resources described by this extension: `bazaar`.' },
  { name: 'limit', schema: answer.integer, description: `How many at most: ${LISTED_MAX} by default, and never more.` },
  { name: 'offset', schema: answer.integer, description: 'How many to skip.' },
]

const terms = {
  scheme: 'exact',
  network: 'nano:mainnet',
  amount: '1000000000000000000000000000',
  asset: 'XNO',
  payTo: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
  maxTimeoutSeconds: 60,
}
const FACILITATED_BODY = {
  schema: FACILITATED,
  example: {
    paymentPayload: { x402Version: 2, payload: { block: { type: 'state' } }, accepted: terms },
    paymentRequirements: terms,
  },
}

export const describedX402Routes: readonly Described[] = [
  {
    method: 'get',
    path: '/.well-known/x402',
    id: 'listPaidActions',
    tag: 'x402',
    summary: 'What is for sale by request, and for how much.',
    who: 'anybody',
    answer: SHOP,
    refuses: [503],
  },
  {
    method: 'get',
    path: '/discovery/resources',
    id: 'discoverResources',
    tag: 'x402',
    summary: 'The same list in the format of the extension `bazaar`.',
    who: 'anybody',
    query: SOUGHT,
    answer: DISCOVERED,
    refuses: [503],
  },
  {
    method: 'get',
    path: '/facilitator/discovery/resources',
    id: 'discoverFacilitated',
    tag: 'x402',
    summary: 'The same at the address of the facilitator.',
    who: 'anybody',
    query: SOUGHT,
    answer: DISCOVERED,
    refuses: [503],
  },
  {
    method: 'get',
    path: '/facilitator',
    id: 'describeFacilitator',
    tag: 'x402',
    summary: 'Networks and addresses of the facilitator; a page for browsers.',
    who: 'anybody',
    answer: FACILITATOR,
  },
  {
    method: 'get',
    path: '/facilitator/supported',
    id: 'getSupported',
    tag: 'x402',
    summary: 'Kinds of payments that the facilitator accepts.',
    who: 'anybody',
    answer: SUPPORTED,
  },
  {
    method: 'post',
    path: '/facilitator/verify',
    id: 'verifyPayment',
    tag: 'x402',
    summary: 'Check whether a payment meets the terms.',
    who: 'anybody',
    body: FACILITATED_BODY,
    answer: VERIFIED,
    refuses: [503],
  },
  {
    method: 'post',
    path: '/facilitator/settle',
    id: 'settlePayment',
    tag: 'x402',
    summary:
      'Settle a payment on the ledger. It succeeds once; repeated with the same `Idempotency-Key`, the answer is the same.',
    who: 'anybody',
    body: FACILITATED_BODY,
    answer: SETTLED,
    refuses: [503],
  },
]
