/** Why a payment is refused, in the words of the protocol; where it has none for Nano, in ours. The text is for people. */
export const REASONS = {
  invalid_payload: 'The PAYMENT-SIGNATURE header cannot be read.',
  invalid_x402_version: 'Only version 2 of x402 is spoken here.',
  invalid_scheme: 'Only the scheme exact is accepted.',
  unsupported_scheme: 'No other scheme than exact is settled here.',
  invalid_network: 'The payment is for another network.',
  invalid_payment_requirements: 'The payment was made for other terms. Ask for the price again.',
  invalid_exact_nano_payload_block: 'The block of the payment is not well-formed.',
  invalid_exact_nano_payload_work: 'The work of the block is not sufficient for a send.',
  invalid_exact_nano_payload_signature: 'The signature of the block is not valid.',
  invalid_exact_nano_payload_recipient_mismatch: 'The block pays somebody else.',
  invalid_exact_nano_payload_amount_mismatch: 'The block does not pay the exact amount.',
  invalid_exact_nano_payload_frontier: 'The block does not follow the frontier of its account.',
  invalid_transaction_state: 'The ledger refused the block.',
  duplicate_settlement: 'This block was used before.',
} as const

export type Reason = keyof typeof REASONS

export function isReason(text: unknown): text is Reason {
  return typeof text === 'string' && Object.hasOwn(REASONS, text)
}
