import type { SettleResponse } from '../../../kernel/x402/wire.ts'
import { paymentRejected, paymentUnavailable, settlementPending } from '../errors.ts'
import { type PaymentState, markState } from '../store.ts'
import { type HeldPayment, toPayload, toTerms } from './claim.ts'
import type { Facilitation } from './facilitation.ts'
import { isTrouble, toReason } from './verify.ts'

/** How a settlement ended: as the ledger says, open, or certainly not begun. */
type Outcome = SettleResponse | { unsent: unknown }

/**
 * Brings a claimed payment to the ledger and waits until it is confirmed. Safe to repeat in any state: it looks before
 * it sends. Returns when the payment is settled and that is stored; refuses with 402 or 503 otherwise.
 */
export async function settle(facilitation: Facilitation, held: HeldPayment): Promise<void> {
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
    // Nothing may be served before this is stored; a client that presents the payment again goes on from here.
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
    // Whether a payment that was tried before was sent is not known.
    facilitation.store.failures.failed('x402.state', { hash: stored.hash })(error)
    return open(facilitation, stored.hash)
  }
}

/** The facilitator sends, our own node decides. */
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
  // It is not on the ledger. Only a clear no ends it; anything else may still arrive.
  if (said?.success === false && !isTrouble(said.errorReason)) {
    return { success: false, errorReason: toWord(said.errorReason), transaction: '', network: facilitation.network }
  }
  return open(facilitation, stored.hash)
}

/** The protocol's word for an empty account is worth passing on; the body's code stays that of a refused block. */
const toWord = (reason: string | undefined) => (reason === 'insufficient_funds' ? reason : toReason(reason))

const open = ({ network }: Facilitation, transaction: string): SettleResponse => ({
  success: false,
  errorReason: 'settlement_pending',
  transaction,
  network,
})
