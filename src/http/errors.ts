import { AppError, LedgerRefusal } from '../kernel/errors.ts'
import { writeNodeAnswer } from '../kernel/nano/node-answer.ts'
import type { JsonObject } from '../kernel/shape.ts'

interface ErrorReply {
  status: number
  code: string
  body: JsonObject
  retryAfterSeconds: number | undefined
  /**
   * Whether the gateway is at fault, so that the error must be logged. It is not for "wallet busy": the caller simply
   * tries again.
   */
  isFailure: boolean
}

/** Turns an error into a status and a body; nothing else does. The cause of an error is never sent. */
export function toErrorReply(error: unknown): ErrorReply {
  if (error instanceof LedgerRefusal) {
    // Status 200, because a refusal of the ledger is a regular answer, and many clients read no body of another status.
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

/** The error body at the node's endpoint. A refusal of the ledger has the node's format. */
export const toNodeText = (error: unknown, body: JsonObject): string =>
  error instanceof LedgerRefusal ? writeNodeAnswer(body) : JSON.stringify(body)

/** The messages of the framework repeat parts of the request, so ours replace them. */
export function fromFastify(error: Error & { statusCode?: number }): Error {
  if (error instanceof AppError || error.statusCode === undefined || error.statusCode >= 500) return error
  if (error.statusCode === 413) return new AppError('body_too_large', 'The body is too large.')
  return new AppError('invalid_request', 'The request could not be read.')
}
