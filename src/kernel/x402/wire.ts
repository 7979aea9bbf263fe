import type { JsonObject } from '../shape.ts'

/* The shapes of x402, version 2. They are the protocol's own, so that any client and any facilitator fits. */

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
  /** How long the service waits for confirmation. */
  maxTimeoutSeconds: number
}

/** The decoded PAYMENT-REQUIRED header. The terms stand in it twice: the contract has them at the top as well. */
export type PaymentRequired = PaymentTerms & {
  x402Version: number
  error: string
  resource: { url: string; description: string; mimeType: string }
  accepts: PaymentTerms[]
  /** How what is sold is called, for programs that look for it. */
  extensions: { bazaar: JsonObject }
}

/** The decoded PAYMENT-SIGNATURE header, as far as anybody has looked into it. */
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
  /** Hash of the block; empty when it is certainly not on the ledger. */
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
/** Both alphabets of base64, with padding or without; a joined second header would bring a comma. */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/

export function encodeHeader(value: object): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))))
}

/** Reads a JSON object out of base64; undefined when it is none, or too large. */
export function decodeHeader(text: string): Record<string, unknown> | undefined {
  if (text.length > HEADER_BYTES_MAX || !BASE64.test(text)) return undefined
  try {
    const binary = atob(text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0))
    return toMembers(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch {
    // Neither base64 nor UTF-8 nor JSON.
    return undefined
  }
}

/** A JSON object as its members; undefined for anything else. */
export function toMembers(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return value as Record<string, unknown>
}
