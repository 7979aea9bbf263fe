import { type PaymentBlock, readPayload, readPaymentBlock } from '../../../kernel/x402/payment-block.ts'
import {
  type PaymentPayload,
  type PaymentTerms,
  type Reason,
  SCHEME,
  X402_VERSION,
  decodeHeader,
  isReason,
} from '../../../kernel/x402/wire.ts'
import { PaymentError, paymentRefused, paymentUnavailable } from '../errors.ts'
import type { Facilitation } from './facilitation.ts'

/** A payment as a client presents it: well-formed, and nothing more is known. */
export interface PresentedPayment extends PaymentBlock {
  payload: PaymentPayload
}

/** Reads the PAYMENT-SIGNATURE header. */
export function readPayment(header: string): PresentedPayment {
  const members = decodeHeader(header)
  if (!members) throw paymentRefused('invalid_payload')
  return presentPayment(members)
}

/** Reads a payload that is decoded already. */
export function presentPayment(members: Record<string, unknown>): PresentedPayment {
  const payload = readPayload(members)
  if (typeof payload === 'string') throw paymentRefused(payload)
  const paid = readPaymentBlock(payload.payload.block)
  if (!paid) throw paymentRefused('invalid_exact_nano_payload_block')
  return { ...paid, payload }
}

/** Reasons of a facilitator that speak of its own trouble; asking again may help, paying again would not. */
const TROUBLE = /rpc|node|unavailable|unexpected|error_facilitator|pending|time-?_?out/i

export function isTrouble(reason: string | undefined): boolean {
  return reason === undefined || TROUBLE.test(reason)
}

/**
 * Checks a payment before it is claimed, on our own node first: a facilitator that is asked about a payment may send
 * it, whatever it says. Refuses with 402, or with 503 when no node can tell.
 */
export async function verify({ own, remote, network }: Facilitation, payment: PaymentPayload, terms: PaymentTerms) {
  try {
    const { isValid, invalidReason } = await own.verify(payment, terms)
    if (!isValid) throw paymentRefused(toReason(invalidReason))
    if (!remote) return
    const { kinds } = await remote.getSupported()
    const supported = kinds.some(
      (kind) => kind.x402Version === X402_VERSION && kind.scheme === SCHEME && kind.network === network,
    )
    if (!supported) throw new Error('The facilitator does not settle on this network.')
    const theirs = await remote.verify(payment, terms)
    if (theirs.isValid) return
    if (isTrouble(theirs.invalidReason)) throw new Error('The facilitator is in trouble.')
    throw paymentRefused(toReason(theirs.invalidReason))
  } catch (error) {
    throw error instanceof PaymentError ? error : paymentUnavailable(network, error)
  }
}

/** Only words of our own reach the client. */
export function toReason(text: string | undefined): Reason {
  return isReason(text) ? text : 'invalid_transaction_state'
}
