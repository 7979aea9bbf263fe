import { answer } from '../../../kernel/answers.ts'
import { type OpenRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import type { RouteRequest } from '../../../kernel/route.ts'
import { isHex } from '../../../kernel/nano/hex.ts'
import type { CheckoutContext } from '../context.ts'
import { getCheckout, readPageFacts } from '../domain/show.ts'
import { badField, noVotes, proofNotAvailable } from '../errors.ts'
import { PROOF } from '../answers.ts'
import { ProofPage } from '../pages/proof-page.tsx'
import { findProof } from '../proofs.ts'
import type { Checkout } from '../record.ts'
import { headersFor, voiceFor } from './pay.tsx'

const { text, words } = answer

interface ProofPorts {
  ctx: CheckoutContext
  devnet: boolean
}

const routes: readonly OpenRoute<ProofPorts>[] = [
  {
    tag: 'checkout',
    who: 'anybody',
    access: 'open',
    method: 'get',
    path: '/checkout/{id}/proof',
    id: 'getPaymentProof',
    summary:
      'The proof that the network has confirmed the payment: its block and the votes of representatives. For `Accept: text/html` a page that verifies it.',
    query: [
      { name: 'block', schema: text, description: 'A payment of a checkout that was paid by several blocks.' },
      { name: 'json', schema: words('true', '1'), description: 'Returns the proof, whatever `Accept` says.' },
    ],
    answer: PROOF,
    refuses: [409],
    async run({ ctx, devnet }, request) {
      const checkout = await getCheckout(ctx, request.params.id!)
      const { id, title, blockHash } = checkout
      if (checkout.status !== 'complete') throw proofNotAvailable('A proof is available once the checkout is complete.')
      const hash = readHash(request) ?? blockHash
      const proof = hash === null ? undefined : await findProof(ctx.db, id, hash)
      if (!proof) throw await whyNone(ctx, checkout, hash)
      // It was verified before it was stored, and its reader verifies it: repeated requests by anonymous callers must not cost signature checks.
      if (!wantsPage(request)) return { json: proof }
      const page = <ProofPage {...{ id, title, proof, devnet }} />
      return { page, headers: headersFor(ctx, { voice: voiceFor(request), embed: undefined }) }
    },
  },
]

/** The proof of a payment: JSON for programs, and for people a page that verifies it in their browser. */
export const proofRoutes = (ports: ProofPorts) => routesOf(routes, ports)
export const describedProofRoutes = describedOf(routes)

async function whyNone(ctx: CheckoutContext, checkout: Checkout, hash: string | null): Promise<Error> {
  const { payments } = await readPageFacts(ctx, checkout)
  const payment = payments.find(({ blockHash }) => blockHash === hash)
  const { isOn } = ctx.ports.proofs
  if (isOn && payment && ctx.clock.now() - payment.createdAt < MADE_WITHIN) return proofNotAvailable(IS_NEW)
  if (payment) return noVotes(isOn ? NO_VOTES : IS_OFF)
  return proofNotAvailable('This block is not a payment of the checkout.')
}

/** By then the votes for a payment have arrived, or never will. */
const MADE_WITHIN = 30_000
const IS_NEW = 'The proof of this payment is being made. Ask again in a few seconds.'
const NO_VOTES =
  'There is no proof of this payment. It is made from votes that the gateway receives around the time of the payment.'
const IS_OFF = 'This gateway makes no proofs of payments.'

/** The block named in the request; several blocks may pay a checkout, and the default is the one that completed it. */
function readHash({ query: { block } }: RouteRequest): string | undefined {
  if (block === undefined) return undefined
  if (typeof block !== 'string' || !isHex(block, 64)) throw badField('block', 'block is the hash of a block.')
  return block.toUpperCase()
}

/** Programs get JSON unless they ask for a page, which browsers do. */
const wantsPage = ({ query: { json }, header }: RouteRequest) =>
  json === undefined && (header('accept') ?? '').includes('text/html')
