import type { PaymentPayload, PaymentTerms, SettleResponse, SupportedResponse, VerifyResponse } from './wire.ts'

/**
 * Verifies and settles payments by request (contract 4.7); the interface is that of the protocol's own packages. It
 * throws when it has no outcome to tell: after `settle` the payment may then be on the ledger or not.
 */
export interface Facilitator {
  verify(payment: PaymentPayload, terms: PaymentTerms): Promise<VerifyResponse>
  settle(payment: PaymentPayload, terms: PaymentTerms): Promise<SettleResponse>
  getSupported(): Promise<SupportedResponse>
}

/** The facilitator on our own node, whose word is the one that counts. */
export interface OwnFacilitator extends Facilitator {
  /**
   * What the ledger says of a payment, without sending it: waits for its confirmation. Undefined when the ledger does
   * not have it; with `expected`, its coming is waited for too.
   */
  confirm(payment: PaymentPayload, terms: PaymentTerms, expected: boolean): Promise<SettleResponse | undefined>
}
