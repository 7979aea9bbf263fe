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
  /** Status of the answer; 0 where there was none. A refusal by the ledger has 200. */
  readonly status: number
  /** The field it is about. */
  readonly field: string | undefined
  /** Seconds to wait before trying again. */
  readonly retryAfter: number | undefined
  /** The answer itself, where there was one. */
  readonly body: unknown
  /** The id by which the operator of the gateway finds the request. */
  readonly requestId: string | undefined
  /** The key with which a call was sent; repeated with the same one, it acts once. */
  readonly idempotencyKey: string | undefined
  /** Whether a payment was sent with the call; the budget has its outcome. */
  readonly paid: boolean
  /** What `insufficient_funds` and `budget_exceeded` are about, in raw: how much it takes, and how much is there. */
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

  /** For `JSON.stringify`, which leaves out the message of an error, and refuses a bigint. */
  toJSON(): object {
    const { name, message, needed, available, ...details } = this
    return { name, message, ...details, needed: needed?.toString(), available: available?.toString() }
  }
}

/** A refusal as it arrived: a gateway's has a code, the ledger's only a message. */
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
