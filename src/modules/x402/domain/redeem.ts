import { AppError, storeAway } from '../../../kernel/errors.ts'
import { checkSignatureAndWork } from '../../../kernel/x402/payment-block.ts'
import type { SettleResponse } from '../../../kernel/x402/wire.ts'
import { paymentRefused, paymentRejected, paymentUnavailable, settlementPending } from '../errors.ts'
import { type PaymentState, markState } from '../store.ts'
import { type HeldPayment, type Presentation, claimPayment, keepClaim, toPayload, toTerms } from './claim.ts'
import type { Facilitation } from './facilitation.ts'
import { isTrouble, toReason } from './payment.ts'

interface Redemption extends Presentation {
  /** Called as soon as the payment is settled, whatever becomes of the request. */
  onSettled(receipt: SettleResponse): void
  /** Runs the paid action. */
  run(payer: string): Promise<string>
}

interface Redeemed {
  text: string
  /** Whether the answer was stored by an earlier request. */
  replayed: boolean
}

/**
 * Exchanges a payment for its answer: claims it, settles it, runs the action, stores the answer. The same request presented again continues where
 * it was interrupted, and gets the stored answer at the end.
 */
export async function redeem(facilitation: Facilitation, asked: Redemption): Promise<Redeemed> {
  const { hash, payer } = asked.payment
  const unsealed = checkSignatureAndWork(asked.payment, facilitation.threshold)
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
    // The client gets the action's error even if storing this fails: whether it is stored or not, the same request runs again.
    await markState(db, claim, { from: PAID, to: 'action_failed', now: clock.now() }).catch(failed)
    throw withAdvice(error)
  }
  const isKept = await markState(db, claim, { from: PAID, to: 'served', answer: text, now: clock.now() }).catch(failed)
  // An answer that could not be stored is not sent either: the next answer for the same payment could differ from it. The same request may come
  // again. It then finds the answer of another process, or runs once more, which is harmless because actions for sale change nothing.
  if (!isKept) throw withAdvice(storeAway(undefined))
  return text
}

/** The payer need not pay again. The ledger's verdict and our own defects stay as they are. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const { code, message, body, retryAfterSeconds } = error
  const text = `${message} The payment is settled: send the same request again, it costs nothing more.`
  return new AppError(code, text, { body, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }), cause: error })
}

/** The result of a settlement: the ledger's verdict, open, or certainly not sent. */
type Outcome = SettleResponse | { unsent: unknown }

/**
 * Publishes a claimed payment and waits for its confirmation. Safe to repeat in any state, because it checks the ledger before it sends. Returns
 * once the payment is settled and that is stored; throws 402 or 503 otherwise.
 */
async function settle(facilitation: Facilitation, held: HeldPayment): Promise<void> {
  const { stored, claim } = held
  const { db, clock, failures } = facilitation.store
  const { network } = facilitation
  const pending = () => settlementPending(network, stored.hash, stored.payer)
  const mark = (to: PaymentState) =>
    markState(db, claim, { from: ['claimed', 'pending'], to, now: clock.now() }).catch(
      failures.failed('x402.state', { hash: stored.hash }),
    )

  const outcome = await (facilitation.remote ? settleThere(facilitation, held) : settleHere(facilitation, held))
  if ('unsent' in outcome) throw paymentUnavailable(network, outcome.unsent)
  if (outcome.success) {
    // Nothing may be served before this is stored; a client that presents the payment again continues from here.
    if (await mark('settled')) return
    throw pending()
  }
  if (outcome.errorReason === 'settlement_pending') {
    await mark('pending')
    throw pending()
  }
  if (!(await mark('rejected'))) throw pending()
  throw paymentRejected(outcome, toReason(outcome.errorReason))
}

async function settleHere(facilitation: Facilitation, { stored, fresh }: HeldPayment): Promise<Outcome> {
  try {
    return await facilitation.own.settle(toPayload(facilitation, stored), toTerms(facilitation, stored))
  } catch (error) {
    if (fresh) return { unsent: error }
    // It is unknown whether an earlier attempt sent the payment.
    facilitation.store.failures.failed('x402.state', { hash: stored.hash })(error)
    return open(facilitation, stored.hash)
  }
}

/** The facilitator sends the block, and our own node decides whether it is settled. */
async function settleThere(facilitation: Facilitation, { stored, fresh }: HeldPayment): Promise<Outcome> {
  const { own, remote } = facilitation
  const lost = facilitation.store.failures.lost('x402.remote')
  const [payload, terms] = [toPayload(facilitation, stored), toTerms(facilitation, stored)]
  const lookUp = (expected: boolean) =>
    own.confirm(payload, terms, expected).catch((error: unknown) => {
      facilitation.store.failures.failed('x402.state', { hash: stored.hash })(error)
      return open(facilitation, stored.hash)
    })
  const before = fresh ? undefined : await lookUp(false)
  if (before) return before
  const said = await remote!.settle(payload, terms).catch(lost)
  const promised = said?.success === true && said.transaction.toUpperCase() === stored.hash
  const seen = await lookUp(promised)
  if (seen) return seen
  // It is not on the ledger. Only a clear refusal ends it; otherwise it may still arrive.
  if (said?.success === false && !isTrouble(said.errorReason)) {
    return { success: false, errorReason: toWord(said.errorReason), transaction: '', network: facilitation.network }
  }
  return open(facilitation, stored.hash)
}

/** The protocol's reason for an empty account is passed on; the code in the body stays that of a refused block. */
const toWord = (reason: string | undefined) => (reason === 'insufficient_funds' ? reason : toReason(reason))

const open = ({ network }: Facilitation, transaction: string): SettleResponse => ({
  success: false,
  errorReason: 'settlement_pending',
  transaction,
  network,
})
