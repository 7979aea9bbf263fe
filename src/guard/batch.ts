import { AppError } from '../kernel/errors.ts'
import type { RequestHeaders } from './credential.ts'
import { parseJson } from './json-body.ts'
import { splitParts } from './json-parts.ts'

const ELEMENTS_MAX = 100

/** Whether a body is a list of requests. */
export const isBatch = (text: string): boolean => text.charCodeAt(0) !== 0x7b && /^\s*\[/.test(text)

/** The requests of a batch, each as it was written: an error of one of them is answered in its place. */
export function readBatch(text: string, headers: RequestHeaders): string[] {
  const value = parseJson(text, 2) as unknown[]
  if (value.length === 0 || value.length > ELEMENTS_MAX) {
    throw new AppError('invalid_list', `A batch has 1 to ${ELEMENTS_MAX} requests.`)
  }
  refuseHeader(headers, 'Idempotency-Key', 'Each request of a batch has its own, in its field idempotency_key.')
  refuseHeader(headers, 'PAYMENT-SIGNATURE', 'A payment pays for one request: send that one alone.')
  return splitParts(text)
}

/** What names one request would mean all of them. */
function refuseHeader(headers: RequestHeaders, field: string, detail: string): void {
  if (headers[field.toLowerCase()] === undefined) return
  throw new AppError('invalid_request', `${field} is of one request, and this is a batch.`, { body: { field, detail } })
}
