import type { JsonObject } from '../shape.ts'

/*
 * The messages of x402 version 2, exactly as the protocol defines them, so that any client and any facilitator works.
 */

export const X402_VERSION = 2
export const SCHEME = 'exact'
export const ASSET = 'XNO'

/** What is to be paid, to whom and where: one entry of `accepts`. */
export type PaymentTerms = {
  scheme: string
  network: string
  /** In raw. */
  amount: string
  asset: string
  payTo: string
  /** How long the service waits for the confirmation. */
  maxTimeoutSeconds: number
}

/**
 * The decoded PAYMENT-REQUIRED header. It contains the terms twice, because the contract also requires them at the top
 * level.
 */
export type PaymentRequired = PaymentTerms & {
  x402Version: number
  error: string
  resource: { url: string; description: string; mimeType: string }
  accepts: PaymentTerms[]
  /** A description of what is sold, for programs that look for offers. */
  extensions: { bazaar: JsonObject }
}

/** The parts of the decoded PAYMENT-SIGNATURE header that were checked. */
export interface PaymentPayload {
  x402Version: number
  accepted: unknown
  payload: { block: unknown }
}

export type VerifyResponse = {
  isValid: boolean
  invalidReason?: string
  payer?: string
}

/** The decoded PAYMENT-RESPONSE header. */
export type SettleResponse = {
  success: boolean
  /** Hash of the block; empty if the block is certainly not on the ledger. */
  transaction: string
  network: string
  payer?: string
  errorReason?: string
  errorMessage?: string
}

export type SupportedResponse = {
  kinds: { x402Version: number; scheme: string; network: string }[]
  extensions: string[]
  signers: Record<string, string[]>
}

const HEADER_BYTES_MAX = 8 * 1024
/** Both alphabets of base64, with or without padding. A comma would mean that there were two headers. */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/

export function encodeHeader(value: object): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))))
}

/** Reads a JSON object from base64; undefined if it is not one, or is too large. */
export function decodeHeader(text: string): Record<string, unknown> | undefined {
  if (text.length > HEADER_BYTES_MAX || !BASE64.test(text)) return undefined
  try {
    const binary = atob(text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0))
    return toMembers(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch {
    // Not valid base64, UTF-8 or JSON.
    return undefined
  }
}

/** A JSON object as its members; undefined for anything else. */
export function toMembers(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return value as Record<string, unknown>
}

/**
 * Reasons for refusing a payment, with the codes of the protocol, or our own where the protocol has none for Nano. The
 * text is for people.
 */
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
  invalid_exact_nano_payload_recipient_mismatch: 'The block pays another account.',
  invalid_exact_nano_payload_amount_mismatch: 'The block does not pay the exact amount.',
  invalid_exact_nano_payload_frontier: 'The block does not follow the frontier of its account.',
  invalid_transaction_state: 'The ledger refused the block.',
  duplicate_settlement: 'This block was used before.',
} as const

export type Reason = keyof typeof REASONS

export function isReason(text: unknown): text is Reason {
  return typeof text === 'string' && Object.hasOwn(REASONS, text)
}

/**
 * Verifies and settles payments by request (contract 4.7), with the interface of the protocol's own packages. Throws if
 * the outcome is unknown; after `settle` the payment may then be on the ledger.
 */
export interface Facilitator {
  verify(payment: PaymentPayload, terms: PaymentTerms): Promise<VerifyResponse>
  settle(payment: PaymentPayload, terms: PaymentTerms): Promise<SettleResponse>
  getSupported(): Promise<SupportedResponse>
}

/** The facilitator that uses our own nodes, whose result decides. */
export interface OwnFacilitator extends Facilitator {
  /**
   * Waits for the confirmation of a payment without publishing it. Undefined if the ledger does not have the block;
   * with `expected` it also waits for the block to arrive.
   */
  confirm(payment: PaymentPayload, terms: PaymentTerms, expected: boolean): Promise<SettleResponse | undefined>
}
