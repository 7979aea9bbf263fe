import type { RouteRequest } from '../../kernel/route.ts'
import { type OpenRoute, describedOf, routesOf } from '../../kernel/resource/routes.ts'
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
import { DISCOVERED, FACILITATED, FACILITATOR, SETTLED, SHOP, SUPPORTED, VERIFIED } from './answers.ts'
import { FacilitatorPage } from './pages/facilitator-page.tsx'

/** A payment and its terms take about 2,000 bytes. */
const BODY_BYTES_MAX = 64 * 1024

interface X402RoutesPorts {
  facilitation: Facilitation
  seller: Seller | undefined
  baseUrl(): string
  /** Whether this is a development ledger: its page says so. */
  devnet: boolean
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

const place = { tag: 'x402', who: 'anybody', access: 'anyone' } as const
const got = { ...place, method: 'get' } as const
const sent = {
  ...place,
  method: 'post',
  bodyBytesMax: BODY_BYTES_MAX,
  body: FACILITATED_BODY,
  refuses: [503],
} as const

const discovery = {
  ...got,
  query: SOUGHT,
  answer: DISCOVERED,
  refuses: [503],
  run: async ({ seller, openedAt }: Opened, { query }: RouteRequest) => ({
    json: await discoverResources(seller, readSought(query), openedAt),
  }),
} as const

type Opened = X402RoutesPorts & { openedAt: string }

const routes: readonly OpenRoute<Opened>[] = [
  {
    ...got,
    path: '/.well-known/x402',
    id: 'listPaidActions',
    summary: 'What is for sale by request, and for how much.',
    answer: SHOP,
    refuses: [503],
    run: async ({ seller }) => ({ json: await describeOffers(seller) }),
  },
  // The first path is for programs that know only our domain, the second for clients of a facilitator.
  {
    ...discovery,
    path: '/discovery/resources',
    id: 'discoverResources',
    summary: 'The same list in the format of the extension `bazaar`.',
  },
  {
    ...discovery,
    path: '/facilitator/discovery/resources',
    id: 'discoverFacilitated',
    summary: 'The same at the address of the facilitator.',
  },
  {
    ...got,
    path: '/facilitator',
    id: 'describeFacilitator',
    summary: 'Networks and addresses of the facilitator; a page for browsers.',
    answer: FACILITATOR,
    async run({ facilitation, baseUrl, devnet }, { header, query }) {
      const facts = await describeFacilitator(facilitation, baseUrl())
      // Programs that name no type get JSON; `curl` is one of them.
      const isPage = /\btext\/html\b/.test(header('accept') ?? '') && query.json !== 'true'
      const headers = { vary: 'accept' }
      return isPage ? { page: <FacilitatorPage facts={facts} devnet={devnet} />, headers } : { json: facts, headers }
    },
  },
  {
    ...got,
    path: '/facilitator/supported',
    id: 'getSupported',
    summary: 'Kinds of payments that the facilitator accepts.',
    answer: SUPPORTED,
    run: async ({ facilitation }) => ({ json: await facilitation.own.getSupported() }),
  },
  {
    ...sent,
    path: '/facilitator/verify',
    id: 'verifyPayment',
    summary: 'Check whether a payment meets the terms.',
    answer: VERIFIED,
    run: async ({ facilitation }, { body }) => ({
      json: await verifyForOthers(facilitation, readFacilitatorRequest(body('needed'))),
    }),
    explain: (error) =>
      error instanceof PaymentError ? { isValid: false, invalidReason: 'unexpected_verify_error' } : {},
  },
  {
    ...sent,
    path: '/facilitator/settle',
    id: 'settlePayment',
    summary:
      'Settle a payment on the ledger. It succeeds once; repeated with the same `Idempotency-Key`, the answer is the same.',
    answer: SETTLED,
    run: async ({ facilitation }, { body, header }) => ({
      json: await settleForOthers(facilitation, {
        ...readFacilitatorRequest(body('needed')),
        key: readSettleKey(header('idempotency-key')),
      }),
    }),
    explain: (error) => (error instanceof PaymentError ? { ...error.settlement } : {}),
  },
]

/**
 * The actions for sale by request, and a facilitator that any service may use (contract 4.7). Its answers have the protocol's shapes: every outcome
 * is 200, and 503 means that there is none. Other services read the verdict in a refusal, not our error codes.
 */
export const x402Routes = (ports: X402RoutesPorts) =>
  routesOf(routes, { ...ports, openedAt: new Date(ports.facilitation.store.clock.now()).toISOString() })
export const describedX402Routes = describedOf(routes)
