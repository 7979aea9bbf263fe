import { Leaving } from '../../../kernel/leaving.ts'
import { readAmount } from '../../../kernel/x402/payment-block.ts'
import {
  ASSET,
  type PaymentTerms,
  SCHEME,
  type SettleResponse,
  type VerifyResponse,
  X402_VERSION,
  toMembers,
} from '../../../kernel/x402/wire.ts'
import { AppError, badField } from '../../../kernel/errors.ts'
import { PaymentError, paymentRefused, settlementUnavailable } from '../errors.ts'
import { presentPayment, verify } from './payment.ts'
import { FOR_OTHERS } from '../store.ts'
import { redeem } from './redeem.ts'
import type { Facilitation } from './facilitation.ts'

/** What a seller must know to use the facilitator. */
export interface FacilitatorFacts {
  x402Version: number
  scheme: string
  asset: string
  networks: string[]
  /** The URL that sellers configure; the others are below it. */
  url: string
  supported: string
  verify: string
  settle: string
  resources: string
}

export async function describeFacilitator({ own }: Facilitation, baseUrl: string): Promise<FacilitatorFacts> {
  const { kinds } = await own.getSupported()
  const url = `${baseUrl}/facilitator`
  return {
    x402Version: X402_VERSION,
    scheme: SCHEME,
    asset: ASSET,
    networks: kinds.map(({ network }) => network),
    url,
    supported: `${url}/supported`,
    verify: `${url}/verify`,
    settle: `${url}/settle`,
    resources: `${url}/discovery/resources`,
  }
}

/** A payment and another service's terms. */
interface FacilitatorRequest {
  paymentPayload: Record<string, unknown>
  terms: PaymentTerms
}

interface SettleRequest extends FacilitatorRequest {
  /** The service's own name for this settlement: with it, a lost answer can be asked for again. */
  key: string | undefined
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

const PRINTABLE = /^[\x20-\x7e]{1,255}$/

/** Reads the `Idempotency-Key` of a settlement. */
export function readSettleKey(key: string | undefined): string | undefined {
  if (key === undefined || PRINTABLE.test(key)) return key
  throw badField('Idempotency-Key', 'Idempotency-Key must be 1 to 255 printable characters.')
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
 * may not remember it themselves. Only the key of the settlement that succeeded gets the same answer again. Throws when no node answers.
 */
export async function settleForOthers(
  facilitation: Facilitation,
  { paymentPayload, terms, key }: SettleRequest,
): Promise<SettleResponse> {
  const { network } = facilitation
  try {
    if (readAmount(terms.amount) === undefined) throw paymentRefused('invalid_payment_requirements')
    const payment = presentPayment(paymentPayload)
    const { hash: transaction, payer } = payment
    const timeoutSeconds = Math.min(Math.max(terms.maxTimeoutSeconds, 0), facilitation.timeoutSeconds)
    const { text, replayed } = await redeem(
      { ...facilitation, timeoutSeconds, remote: undefined },
      {
        payment,
        action: FOR_OTHERS,
        fingerprint: `${terms.payTo} ${terms.amount}`,
        agree: async () => terms,
        leaving: new Leaving(),
        onSettled: () => undefined,
        run: async () => key ?? '',
      },
    )
    if (!replayed || (key !== undefined && text === key)) return { success: true, transaction, network, payer }
    return { success: false, errorReason: 'duplicate_settlement', transaction, network, payer }
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error
    // Nothing is known and nothing was sent, so this is not an outcome.
    if (error.code === 'payment_unavailable') throw settlementUnavailable(network, error)
    return error.settlement ?? { success: false, errorReason: error.code, transaction: '', network }
  }
}
