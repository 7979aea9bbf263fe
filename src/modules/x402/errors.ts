import { AppError, type ErrorCode } from '../../kernel/errors.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import { REASONS, type Reason, type SettleResponse } from '../../kernel/x402/wire.ts'

const RETRY_AFTER_SECONDS = 5

interface PaymentErrorExtras {
  /** Whether the client may pay: only then the answer has PAYMENT-REQUIRED. */
  mayPay: boolean
  /** The content of PAYMENT-RESPONSE, which says that a settlement was tried. */
  settlement?: SettleResponse
  body?: JsonObject
  cause?: unknown
}

/** Why a payment did not get its answer. While the outcome is open, it never asks for payment, or the client would pay twice. */
export class PaymentError extends AppError {
  readonly mayPay: boolean
  readonly settlement: SettleResponse | undefined

  constructor(code: ErrorCode, message: string, { mayPay, settlement, body, cause }: PaymentErrorExtras) {
    const retry = mayPay ? {} : { retryAfterSeconds: RETRY_AFTER_SECONDS }
    super(code, message, { ...retry, ...(body && { body }), cause })
    this.mayPay = mayPay
    this.settlement = settlement
  }
}

export const paymentRequired = () => new PaymentError('payment_required', 'Payment required', { mayPay: true })

export const paymentRefused = (reason: Reason, message: string = REASONS[reason]) =>
  new PaymentError(reason, message, { mayPay: true })

export const usedForAnotherRequest = () =>
  paymentRefused('duplicate_settlement', 'This block was used for another request.')

export const resultForgotten = () =>
  paymentRefused('duplicate_settlement', 'This block was already used and its result is no longer stored.')

/** The ledger has certainly not accepted the block. */
export const paymentRejected = (settlement: SettleResponse, reason: Reason) =>
  new PaymentError(reason, REASONS[reason], { mayPay: true, settlement })

/** Nothing was sent. */
export const paymentUnavailable = (network: string, cause: unknown) =>
  new PaymentError('payment_unavailable', 'Payments cannot be verified right now. Nothing was charged; try again.', {
    mayPay: false,
    settlement: { success: false, errorReason: 'unexpected_verify_error', transaction: '', network },
    cause,
  })

/** The same for another service that wanted a payment settled. */
export const settlementUnavailable = (network: string, cause: unknown) =>
  new PaymentError('payment_unavailable', 'Payments cannot be settled right now. Nothing was sent; try again.', {
    mayPay: false,
    settlement: { success: false, errorReason: 'unexpected_settle_error', transaction: '', network },
    cause,
  })

export const settlementPending = (network: string, hash: string, payer: string) =>
  new PaymentError(
    'settlement_pending',
    'The payment is not confirmed yet. Do not pay again: send the same request again.',
    {
      mayPay: false,
      settlement: { success: false, errorReason: 'settlement_pending', transaction: hash, network, payer },
      body: { transaction: hash },
    },
  )
