import type { Route, RouteLimit, RouteRequest } from '../../../kernel/route.ts'
import { isHex } from '../../../kernel/nano/hex.ts'
import { verifyProof } from '../../../kernel/nano/payment-proof.ts'
import type { CheckoutRoom } from '../room.ts'
import { getCheckout } from '../domain/show.ts'
import { badField, proofNotAvailable } from '../errors.ts'
import { ProofPage } from '../pages/proof-page.tsx'
import { findProof } from '../proofs/store.ts'
import { headersFor, voiceFor } from './pay.tsx'

interface ProofPorts {
  ctx: CheckoutRoom
  limit: RouteLimit
  devnet: boolean
}

/** The proof of a payment: JSON, and a page that verifies it for readers with a browser. */
export function proofRoute({ ctx, limit, devnet }: ProofPorts): Route {
  return {
    method: 'GET',
    path: '/checkout/:id/proof',
    door: 'open',
    limit,
    async run(request) {
      const { id, title, status, blockHash } = await getCheckout(ctx, request.params.id!)
      if (status !== 'complete') throw proofNotAvailable('A proof is available once the checkout is complete.')
      const hash = readHash(request) ?? blockHash
      const proof = hash === null ? undefined : await findProof(ctx.db, id, hash)
      if (!proof) throw proofNotAvailable(ctx.ports.proofs.isOn ? NO_VOTES : IS_OFF)
      const verdict = verifyProof(proof)
      if (!wantsPage(request) || !verdict.ok) return { json: proof }
      const page = <ProofPage {...{ id, title, proof, verdict, devnet }} />
      return { page, headers: headersFor(ctx, { voice: voiceFor(request), embed: undefined }) }
    },
  }
}

const NO_VOTES =
  'There is no proof of this payment. It is made from votes that the gateway receives around the time of the payment.'
const IS_OFF = 'This gateway makes no proofs of payments.'

/** A checkout may be paid by several blocks; the one that completed it unless another is named. */
function readHash({ query: { block } }: RouteRequest): string | undefined {
  if (block === undefined) return undefined
  if (typeof block !== 'string' || !isHex(block, 64)) throw badField('block', 'block is the hash of a block.')
  return block.toUpperCase()
}

/** Programs get JSON unless they ask for a page, which browsers do. */
const wantsPage = ({ query: { json }, header }: RouteRequest) =>
  json === undefined && (header('accept') ?? '').includes('text/html')
