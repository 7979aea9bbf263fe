import { type PaymentBlock, readPayload, readPaymentBlock } from '../../../kernel/x402/payment-block.ts'
import { type PaymentPayload, decodeHeader } from '../../../kernel/x402/wire.ts'
import { paymentRefused } from '../errors.ts'

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
