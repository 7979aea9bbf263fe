/* The parts of Medusa's types for payment providers and routes that are used here: building this package requires no package of Medusa. */

export type Data = Record<string, unknown>

export interface ProviderInput {
  data?: Data
  /** The id of the session, the capture or the refund. */
  context?: { idempotency_key?: string }
}

export interface PricedInput extends ProviderInput {
  /** A number, a text, or one of Medusa's objects that contain either. */
  amount: unknown
  currency_code: string
}

export interface RefundInput extends ProviderInput {
  amount: unknown
}

export type SessionStatus = 'captured' | 'pending' | 'requires_more' | 'canceled'

export interface ProviderOutput {
  data: Data
}

export interface StatusOutput extends ProviderOutput {
  status: SessionStatus
}

export interface WebhookPayload {
  data: Data
  /** The body as it arrived. */
  rawData: string | Uint8Array
  headers: Data
}

export interface WebhookResult {
  action: SessionStatus | 'not_supported'
  data?: { session_id: string; amount: string }
}

export interface Logger {
  warn(message: string): void
}

interface AdminServices {
  payment: { retrievePayment(id: string): Promise<{ provider_id: string; data?: Data }> }
  /** What `medusa-config.ts` exports. */
  configModule: { modules?: { payment?: { options?: { providers?: { id?: string; options?: unknown }[] } } } }
}

export interface AdminRequest {
  params: { id: string }
  scope: { resolve<Name extends keyof AdminServices>(name: Name): AdminServices[Name] }
}

export interface AdminResponse {
  json(body: object): void
}
