import type { JsonObject } from './shape.ts'

/** Status and code of every refusal, for all transports: the status says who is at fault, the code what happened. */
const STATUS = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_action: 400,
  invalid_account: 400,
  invalid_amount: 400,
  invalid_block: 400,
  invalid_count: 400,
  invalid_currency: 400,
  invalid_difficulty: 400,
  invalid_duration: 400,
  invalid_email: 400,
  invalid_hash: 400,
  invalid_key_format: 400,
  invalid_list: 400,
  invalid_metadata: 400,
  invalid_multiplier: 400,
  invalid_offset: 400,
  invalid_root: 400,
  invalid_subtype: 400,
  invalid_threshold: 400,
  invalid_url: 400,
  invalid_username: 400,
  invalid_vanity: 400,
  invalid_work: 400,
  username_not_found: 400,
  swap_not_found: 400,
  wallet_not_found: 400,
  invalid_key: 401,
  key_required: 401,
  conflicting_credentials: 401,
  pin_required: 401,
  wrong_pin: 401,
  payment_required: 402,
  invalid_payload: 402,
  invalid_x402_version: 402,
  invalid_scheme: 402,
  unsupported_scheme: 402,
  invalid_network: 402,
  invalid_payment_requirements: 402,
  invalid_exact_nano_payload_block: 402,
  invalid_exact_nano_payload_work: 402,
  invalid_exact_nano_payload_signature: 402,
  invalid_exact_nano_payload_recipient_mismatch: 402,
  invalid_exact_nano_payload_amount_mismatch: 402,
  invalid_exact_nano_payload_frontier: 402,
  invalid_transaction_state: 402,
  duplicate_settlement: 402,
  account_suspended: 403,
  origin_not_allowed: 403,
  feature_disabled: 403,
  insufficient_credits: 403,
  insufficient_funds: 403,
  limit_reached: 403,
  fresh_proof_required: 403,
  missing_scope: 403,
  not_the_owner: 403,
  passkey_required: 403,
  spending_limit: 403,
  wallet_frozen: 403,
  wallet_not_empty: 403,
  not_found: 404,
  proof_not_available: 404,
  method_not_allowed: 405,
  checkout_closed: 409,
  conflict: 409,
  idempotency_conflict: 409,
  idempotency_in_flight: 409,
  no_votes: 409,
  refund_address_required: 409,
  refund_source_required: 409,
  refund_too_large: 409,
  refunded: 409,
  restored: 409,
  send_void: 409,
  body_too_large: 413,
  too_many_requests: 429,
  work_quota: 429,
  internal_error: 500,
  no_node: 502,
  publish_unknown: 502,
  publish_refused: 502,
  node_timeout: 504,
  publish_timeout: 504,
  no_work: 503,
  nodes_disagree: 503,
  amount_space_exhausted: 503,
  no_price: 503,
  no_swap: 503,
  overloaded: 503,
  vanity_not_found: 503,
  wallet_busy: 503,
  payment_unavailable: 503,
  settlement_pending: 503,
  store_unavailable: 503,
} as const

export type ErrorCode = keyof typeof STATUS

export const statusOf = (code: ErrorCode): number => STATUS[code]

interface ErrorExtras {
  /** More members of the public body, such as the name of the wrong field. */
  body?: JsonObject
  retryAfterSeconds?: number
  cause?: unknown
}

/** Recording a stack can cost more than the rest of an answer, and only failures are logged, so refusals have none. */
class Thrown extends Error {
  constructor(message: string, { cause, isFailure = false }: { cause?: unknown; isFailure?: boolean } = {}) {
    const limit = Error.stackTraceLimit
    if (!isFailure) Error.stackTraceLimit = 0
    super(message, { cause })
    Error.stackTraceLimit = limit
  }
}

/** A refusal by the gateway. The message is public; the cause is only logged. */
export class AppError extends Thrown {
  readonly code: ErrorCode
  readonly status: number
  readonly body: JsonObject
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, { body = {}, retryAfterSeconds, cause }: ErrorExtras = {}) {
    super(message, { cause, isFailure: STATUS[code] >= 500 })
    this.code = code
    this.status = STATUS[code]
    this.body = body
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A refusal by the ledger. It is a regular answer with status 200 and the node's exact text. */
export class LedgerRefusal extends Thrown {}

/** The caller has left or has cancelled the request; the message is that of a node. */
export class Cancelled extends LedgerRefusal {
  constructor() {
    super('Cancelled')
  }
}

export const noNode = (cause?: unknown) =>
  new AppError('no_node', 'No node available. Try again in a few seconds.', { cause })

export const nodeTimeout = (cause?: unknown) =>
  new AppError('node_timeout', 'No node available. Try again in a few seconds.', { cause })

/** One of the nodes is behind or lies, and it is unknown which. */
export const nodesDisagree = () =>
  new AppError('nodes_disagree', 'The nodes do not agree about this account. Nothing was sent. Try again later.', {
    retryAfterSeconds: 5,
  })

export const isDisagreement = (error: unknown): boolean => error instanceof AppError && error.code === 'nodes_disagree'

/** The store may be back soon; changes in progress are neither lost nor done until then. */
export const storeAway = (cause: unknown) =>
  new AppError('store_unavailable', 'The service cannot reach its store. Try again in a few seconds.', {
    retryAfterSeconds: 2,
    cause,
  })

/** Reads still work. The reason is for the log and the operator. */
export const storeUnwritable = (reason: string, cause: Error) =>
  new AppError('store_unavailable', 'The service cannot store anything at the moment. Try again later.', {
    retryAfterSeconds: 10,
    cause: new Error(`${reason}: ${cause.message}`, { cause }),
  })

export const isStoreAway = (error: unknown) => error instanceof AppError && error.code === 'store_unavailable'

export const noWork = (retryAfterSeconds: number) =>
  new AppError('no_work', 'No work source available.', { retryAfterSeconds })

/**
 * All limits have the same message, by which programs recognise it. `detail` says which limit was reached and what
 * raises it.
 */
export const overLimit = (detail: string, retryAfterSeconds: number, body: JsonObject = {}) =>
  new AppError('too_many_requests', 'Too many requests.', { body: { detail, ...body }, retryAfterSeconds })

export const badField = (field: string, text: string, code: ErrorCode = 'invalid_request') =>
  new AppError(code, text, { body: { field } })

export const missingText = (field: string) => `The field ${field} is required.`

/** A required field is missing. At `/node` the node's own message is used, which does not name it. */
export const missingField = (field: string) => badField(field, missingText(field))

/**
 * 404 and 409 belong to paths and REST (contract 7). In an action, a missing or taken object is reported as a wrong
 * field: the field that the refusal names, or else `otherwise`.
 */
export function toFieldError(error: unknown, otherwise?: string): unknown {
  if (!(error instanceof AppError) || (error.code !== 'not_found' && error.code !== 'conflict')) return error
  const field = error.body.field ?? otherwise
  return typeof field === 'string' && field !== '' ? badField(field, error.message) : error
}
