import { inTx } from '../../../kernel/in-tx.ts'
import { PutOff, enqueue } from '../../../kernel/job.ts'
import { toRaw } from '../../../kernel/money.ts'
import type { PaymentProof } from '../../../kernel/nano/payment-proof.ts'
import { findProof } from '../proofs.ts'
import { type Checkout, type SeenBlock, toSeenBlock, toStoredBlock } from '../record.ts'
import type { CheckoutContext } from '../context.ts'
import { findCheckout } from '../store.ts'
import { type PaidRate, announce } from './events.ts'

/** Name of the job that announces a completion with the proof of its payment. */
export const ANNOUNCE_PROVED = 'checkout.announce-proved'
/** Votes come within moments of a payment. A proof that is made later can be fetched. */
const WAIT = 5_000
const LOOK_EVERY = 1_000
/** Many web frameworks refuse bodies of 100 kB: such a receiver would never learn of the payment. */
const LENGTH_MAX = 64 * 1024
/** Attempts of the job; only a process that dies uses one up. */
const ATTEMPTS_MAX = 50

/** A completion as it was when it happened. */
export interface Announced {
  checkoutId: string
  paidRaw: string
  /** The completing block as JSON, in the form that checkouts store. */
  block: string
  rate: PaidRate | null
  until: number
}

interface Paid {
  block: SeenBlock | undefined
  rate: PaidRate | null
}

/**
 * Announces a completion. The body of an event never changes, so an event with a proof is made only when the proof is stored or the wait is over. Until
 * then a job takes its place; it is queued in the transaction that completes the checkout.
 */
export async function announceCompleted(tx: CheckoutContext, checkout: Checkout, { block, rate }: Paid): Promise<void> {
  const { id: checkoutId, webhookProof, paidRaw } = checkout
  if (!webhookProof) return announceNow(tx, checkout, { block, rate })
  if (!block || !tx.ports.proofs.isOn) return announceNow(tx, checkout, { block, rate, proof: null })
  const until = tx.clock.now() + WAIT
  const payload: Announced = { checkoutId, paidRaw: paidRaw.toString(), block: toStoredBlock(block), rate, until }
  await enqueue(tx, { kind: ANNOUNCE_PROVED, payload, attemptsMax: ATTEMPTS_MAX })
}

/**
 * Announces the completion with the proof, whichever gateway has stored it, or without one when the wait is over.
 * Running it again changes nothing.
 */
export async function announceProved(ctx: CheckoutContext, { checkoutId, until, ...was }: Announced): Promise<void> {
  const checkout = await findCheckout(ctx.db, checkoutId)
  if (!checkout) return
  const block = toSeenBlock(was.block)
  const proof = await findProof(ctx.db, checkoutId, block.hash)
  const now = ctx.clock.now()
  const left = until - now
  // After the clock was set back, more than the whole wait can be left; then it is skipped.
  if (!proof && left > 0 && left <= WAIT)
    throw new PutOff(now + Math.min(left, LOOK_EVERY), 'The proof of the payment is being made.')
  const sent = proof && JSON.stringify(proof).length <= LENGTH_MAX ? proof : null
  const completed = { ...checkout, paidRaw: toRaw(BigInt(was.paidRaw)) }
  await inTx(ctx, (tx) => announceNow(tx, completed, { block, rate: was.rate, proof: sent }))
}

const announceNow = (tx: CheckoutContext, checkout: Checkout, what: Paid & { proof?: PaymentProof | null }) =>
  announce(tx, checkout, { type: 'payment.completed', dedupeKey: 'completed', ...what })
