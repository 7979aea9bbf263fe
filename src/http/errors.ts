import { AppError, LedgerRefusal } from '../kernel/errors.ts'
import type { JsonObject } from '../kernel/shape.ts'

interface ErrorReply {
  status: number
  code: string
  body: JsonObject
  retryAfterSeconds: number | undefined
}

/** The one place where a failure becomes a status and a body. Causes stay inside. */
export function toErrorReply(error: unknown): ErrorReply {
  if (error instanceof LedgerRefusal) {
    // The ledger's own words are an answer; many clients reject any other status before they read them.
    return { status: 200, code: 'ledger', body: { error: error.message }, retryAfterSeconds: undefined }
  }
  const known = error instanceof AppError ? error : new AppError('internal_error', 'Internal server error.')
  const { message, code, status, retryAfterSeconds } = known
  const retry = retryAfterSeconds === undefined ? {} : { retry_after: retryAfterSeconds }
  return { status, code, body: { error: message, message, code, ...known.body, ...retry }, retryAfterSeconds }
}
