import { toMembers } from '../kernel/x402/wire.ts'

interface GatewayErrorDetails {
  code: string
  status?: number
  field?: string | undefined
  retryAfter?: number | undefined
  body?: unknown
  requestId?: string | undefined
  idempotencyKey?: string | undefined
  paid?: boolean | undefined
  needed?: bigint | undefined
  available?: bigint | undefined
  cause?: unknown
}

/**
 * Any error between a program and a gateway. The code is the gateway's, or one of this package:
 * `ledger_refused` (the message is the node's), `network_error`, `timeout`, `unexpected_answer`, `publish_unknown`,
 * `budget_exceeded`, `insufficient_funds`, `invalid_account`, `invalid_amount`, `checkout_expired`, `checkout_cancelled`,
 * `already_open`, `webhook_invalid`, `webhook_too_old`, `no_websocket`.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: string
  /** Status of the answer: 0 if there was none, 200 for a refusal by the ledger. */
  readonly status: number
  /** The field that is wrong. */
  readonly field: string | undefined
  /** Seconds to wait before trying again. */
  readonly retryAfter: number | undefined
  /** The answer itself, where there was one. */
  readonly body: unknown
  /** The operator of the gateway finds the request by this id. */
  readonly requestId: string | undefined
  /** The Idempotency-Key that was sent. A repeated call with the same key acts once. */
  readonly idempotencyKey: string | undefined
  /** Whether a payment was sent with the call; the budget has its state. */
  readonly paid: boolean
  /** For `insufficient_funds` and `budget_exceeded`, in raw: how much is needed, and how much there is. */
  readonly needed: bigint | undefined
  readonly available: bigint | undefined

  constructor(message: string, { code, status = 0, cause, ...details }: GatewayErrorDetails) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.field = details.field
    this.retryAfter = details.retryAfter
    this.body = details.body
    this.requestId = details.requestId
    this.idempotencyKey = details.idempotencyKey
    this.paid = details.paid ?? false
    this.needed = details.needed
    this.available = details.available
  }

  /** `JSON.stringify` would leave out the message of an error, and throw for a bigint. */
  toJSON(): object {
    const { name, message, needed, available, ...details } = this
    return { name, message, ...details, needed: needed?.toString(), available: available?.toString() }
  }
}

/** A refusal from the gateway, which has a code, or from the ledger, which has only a message. */
export function toRefusal(response: Response, body: unknown, details: Partial<GatewayErrorDetails> = {}): GatewayError {
  const { error, message, code, field, retry_after: inBody } = toMembers(body) ?? {}
  const { status, headers } = response
  const text = [message, error].find((each) => typeof each === 'string')
  const wait = Number(headers.get('retry-after') ?? (typeof inBody === 'number' ? inBody : Number.NaN))
  const ledger = status === 200 && text !== undefined
  return new GatewayError(text ?? `The gateway answered with status ${status}.`, {
    code: typeof code === 'string' ? code : ledger ? 'ledger_refused' : 'unexpected_answer',
    status,
    field: typeof field === 'string' ? field : undefined,
    retryAfter: Number.isFinite(wait) ? wait : undefined,
    body,
    requestId: headers.get('x-request-id') ?? undefined,
    ...details,
  })
}
