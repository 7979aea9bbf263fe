import { AppError, LedgerRefusal } from '../kernel/errors.ts'
import { writeNodeAnswer } from '../kernel/nano/node-answer.ts'
import type { JsonObject } from '../kernel/shape.ts'

interface ErrorReply {
  status: number
  code: string
  body: JsonObject
  retryAfterSeconds: number | undefined
  /** Whether this is a fault of the gateway that must be logged. "Wallet busy" is not: the caller simply tries again. */
  isFailure: boolean
}

/** The one place where an error becomes a status and a body. Causes are never sent. */
export function toErrorReply(error: unknown): ErrorReply {
  if (error instanceof LedgerRefusal) {
    // A refusal of the ledger is a regular answer; many clients do not read the body of any other status.
    return {
      status: 200,
      code: 'ledger',
      body: { error: error.message },
      retryAfterSeconds: undefined,
      isFailure: false,
    }
  }
  const known = error instanceof AppError ? error : new AppError('internal_error', 'Internal server error.')
  const { message, code, status, retryAfterSeconds } = known
  const retry = retryAfterSeconds === undefined ? {} : { retry_after: retryAfterSeconds }
  const isFailure = status >= 500 && code !== 'wallet_busy'
  return {
    status,
    code,
    body: { error: message, message, code, ...known.body, ...retry },
    retryAfterSeconds,
    isFailure,
  }
}

/** The error body at the node endpoint. Refusals of the ledger are formatted as a node formats them. */
export const toNodeText = (error: unknown, body: JsonObject): string =>
  error instanceof LedgerRefusal ? writeNodeAnswer(body) : JSON.stringify(body)

/** The framework's own messages repeat parts of the request, so they are replaced. */
export function fromFastify(error: Error & { statusCode?: number }): Error {
  if (error instanceof AppError || error.statusCode === undefined || error.statusCode >= 500) return error
  if (error.statusCode === 413) return new AppError('body_too_large', 'The body is too large.')
  return new AppError('invalid_request', 'The request could not be read.')
}
