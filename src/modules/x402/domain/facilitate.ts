import { Leaving } from '../../../kernel/leaving.ts'
import { readAmount } from '../../../kernel/x402/payment-block.ts'
import { type PaymentTerms, type SettleResponse, type VerifyResponse, toMembers } from '../../../kernel/x402/wire.ts'
import { AppError } from '../../../kernel/errors.ts'
import { PaymentError, paymentRefused, settlementUnavailable } from '../errors.ts'
import { presentPayment, verify } from './payment.ts'
import { redeem } from './redeem.ts'
import type { Facilitation } from './facilitation.ts'

/** The stored action of payments for other services; no action has this name. */
const FOR_OTHERS = '(facilitator)'

/** A payment and another service's terms. */
interface FacilitatorRequest {
  paymentPayload: Record<string, unknown>
  terms: PaymentTerms
}

/** Reads the body of a call to the facilitator; 400 when either part is missing. */
export function readFacilitatorRequest(body: Readonly<Record<string, unknown>>): FacilitatorRequest {
  const paymentPayload = toMembers(body.paymentPayload)
  const terms = toMembers(body.paymentRequirements)
  if (!paymentPayload) throw missing('paymentPayload')
  if (!terms) throw missing('paymentRequirements')
  const { maxTimeoutSeconds } = terms
  const text = (name: string) => (typeof terms[name] === 'string' ? terms[name] : '')
  return {
    paymentPayload,
    terms: {
      scheme: text('scheme'),
      network: text('network'),
      amount: text('amount'),
      asset: text('asset'),
      payTo: text('payTo'),
      maxTimeoutSeconds: typeof maxTimeoutSeconds === 'number' ? maxTimeoutSeconds : 0,
    },
  }
}

const missing = (field: string) => new AppError('invalid_request', `${field} must be an object.`, { body: { field } })

/** Whether a payment meets another service's terms. Throws when no node answers. */
export async function verifyForOthers(
  facilitation: Facilitation,
  { paymentPayload, terms }: FacilitatorRequest,
): Promise<VerifyResponse> {
  try {
    const { payload, payer } = presentPayment(paymentPayload)
    await verify({ ...facilitation, remote: undefined }, payload, terms)
    return { isValid: true, payer }
  } catch (error) {
    if (!(error instanceof PaymentError) || !error.mayPay) throw error
    return { isValid: false, invalidReason: error.code }
  }
}

/**
 * Settles a payment for another service. It succeeds once: presenting the block again fails as already used, because the services that rely on us
 * may not remember it themselves. Throws when no node answers.
 */
export async function settleForOthers(
  facilitation: Facilitation,
  { paymentPayload, terms }: FacilitatorRequest,
): Promise<SettleResponse> {
  const { network } = facilitation
  try {
    if (readAmount(terms.amount) === undefined) throw paymentRefused('invalid_payment_requirements')
    const payment = presentPayment(paymentPayload)
    const { hash: transaction, payer } = payment
    const timeoutSeconds = Math.min(Math.max(terms.maxTimeoutSeconds, 0), facilitation.timeoutSeconds)
    const { replayed } = await redeem(
      { ...facilitation, timeoutSeconds, remote: undefined },
      {
        payment,
        action: FOR_OTHERS,
        fingerprint: `${terms.payTo} ${terms.amount}`,
        agree: async () => terms,
        leaving: new Leaving(),
        onSettled: () => undefined,
        run: async () => 'settled',
      },
    )
    if (!replayed) return { success: true, transaction, network, payer }
    return { success: false, errorReason: 'duplicate_settlement', transaction, network, payer }
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error
    // Nothing is known and nothing was sent, so this is not an outcome.
    if (error.code === 'payment_unavailable') throw settlementUnavailable(network, error)
    return error.settlement ?? { success: false, errorReason: error.code, transaction: '', network }
  }
}
