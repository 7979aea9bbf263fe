import { AppError, storeAway } from '../../../kernel/errors.ts'
import { checkSeal } from '../../../kernel/x402/payment-block.ts'
import type { SettleResponse } from '../../../kernel/x402/wire.ts'
import { paymentRefused } from '../errors.ts'
import { markState } from '../store.ts'
import { type HeldPayment, type Presentation, claimPayment } from './claim.ts'
import { keepClaim } from './keep-claim.ts'
import { settle } from './settle.ts'
import type { Facilitation } from './facilitation.ts'

interface Redemption extends Presentation {
  /** Told as soon as the payment is known to be settled, whatever becomes of the request. */
  onSettled(receipt: SettleResponse): void
  /** What was paid for. */
  run(payer: string): Promise<string>
}

interface Redeemed {
  text: string
  /** The answer is a stored one. */
  replayed: boolean
}

/**
 * Turns a payment into the answer it pays for: claims it, settles it, runs what it paid for, keeps the answer. Presented
 * again with the same request, it goes on where it was interrupted, and at its end the kept answer is given.
 */
export async function redeem(facilitation: Facilitation, asked: Redemption): Promise<Redeemed> {
  const { hash, payer } = asked.payment
  const unsealed = checkSeal(asked.payment, facilitation.threshold)
  if (unsealed) throw paymentRefused(unsealed)
  const receipt: SettleResponse = { success: true, transaction: hash, network: facilitation.network, payer }
  const held = await claimPayment(facilitation, asked)
  if ('answer' in held) {
    asked.onSettled(receipt)
    return { text: held.answer, replayed: true }
  }
  const release = keepClaim(facilitation, held.claim)
  try {
    const { state } = held.stored
    if (state !== 'settled' && state !== 'action_failed') await settle(facilitation, held)
    asked.onSettled(receipt)
    return { text: await serve(facilitation, held, () => asked.run(payer)), replayed: false }
  } finally {
    await release()
  }
}

const PAID = ['settled', 'action_failed'] as const

async function serve({ store }: Facilitation, { claim, stored }: HeldPayment, run: () => Promise<string>) {
  const { db, clock, failures } = store
  const failed = failures.failed('x402.state', { hash: stored.hash })
  let text: string
  try {
    text = await run()
  } catch (error) {
    // Why it failed matters more; either state lets the same request run again.
    await markState(db, claim, { from: PAID, to: 'action_failed', now: clock.now() }).catch(failed)
    throw withAdvice(error)
  }
  const isKept = await markState(db, claim, { from: PAID, to: 'served', answer: text, now: clock.now() }).catch(failed)
  // What is sold changes nothing: the same request runs again, or finds the answer that another process has kept. Given away
  // unkept, one payment would bring two answers.
  if (!isKept) throw withAdvice(storeAway(undefined))
  return text
}

/** The payer need not pay again. What the ledger or a defect of ours says stays as it is. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const { code, message, body, retryAfterSeconds } = error
  const text = `${message} The payment is settled: send the same request again, it costs nothing more.`
  return new AppError(code, text, { body, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }), cause: error })
}
