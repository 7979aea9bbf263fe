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

/** A payment as a client presents it, of which only the format was checked. */
export interface PresentedPayment extends PaymentBlock {
  payload: PaymentPayload
}

/** Reads the PAYMENT-SIGNATURE header. */
export function readPayment(header: string): PresentedPayment {
  const members = decodeHeader(header)
  if (!members) throw paymentRefused('invalid_payload')
  return presentPayment(members)
}

/** Reads a decoded payload. */
export function presentPayment(members: Record<string, unknown>): PresentedPayment {
  const payload = readPayload(members)
  if (typeof payload === 'string') throw paymentRefused(payload)
  const paid = readPaymentBlock(payload.payload.block)
  if (!paid) throw paymentRefused('invalid_exact_nano_payload_block')
  return { ...paid, payload }
}

/** A facilitator's reasons that mean trouble of its own: asking again may help, paying again would not. */
const TROUBLE = /rpc|node|unavailable|unexpected|error_facilitator|pending|time-?_?out/i

export function isTrouble(reason: string | undefined): boolean {
  return reason === undefined || TROUBLE.test(reason)
}

/**
 * Checks a payment before it is claimed, with our own node first, because a facilitator that is asked about a payment may send it regardless of
 * its answer. Throws 402, or 503 when no node answers.
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

/** Maps a reason of the facilitator to one of ours, so that no foreign text reaches the client. */
export function toReason(text: string | undefined): Reason {
  return isReason(text) ? text : 'invalid_transaction_state'
}
