import type { Action } from '../kernel/action.ts'
import { type ErrorCode, statusOf } from '../kernel/errors.ts'
import { fieldsOf } from './reference-fields.ts'

/** One way in which a call can be refused. */
export interface ErrorView {
  status: number
  code: string
  when: string
}

const EVERYWHERE: Partial<Record<ErrorCode, string>> = {
  invalid_json: 'The body is not a JSON object.',
  invalid_action: 'There is no action with this name.',
  username_not_found: 'A `@name` is unknown.',
  invalid_key: 'The API key is unknown.',
  conflicting_credentials: 'Two different API keys were given.',
  origin_not_allowed: 'A public key was used on a page of another origin.',
  body_too_large: 'The body is too large.',
  too_many_requests: 'Too many requests. `retry_after` says how many seconds to wait.',
  internal_error: 'An error on our side. The header `X-Request-Id` identifies it in the log.',
  no_node: 'No node responds.',
  node_timeout: 'The nodes took too long.',
  overloaded: 'Too many requests at once. Try again in a moment.',
}

const toView = ([code, when]: [string, string]): ErrorView => ({ status: statusOf(code as ErrorCode), code, when })

/** What any action can answer instead of a result. */
export const COMMON_ERRORS: readonly ErrorView[] = Object.entries(EVERYWHERE).map(toView)

/** What this action can be refused with, beside what any can. */
export function errorsOf(action: Action, hasPrice: boolean): ErrorView[] {
  const fields = fieldsOf(action)
  const missing = fields.filter(({ required }) => required).map(({ name }) => `\`${name}\``)
  const errors = new Map<string, string[]>()
  const add = (code: ErrorCode, when: string) => errors.set(code, [...(errors.get(code) ?? []), when])
  if (missing.length > 0) add('invalid_request', `${missing.join(' or ')} is missing.`)
  for (const { name, refusal } of fields) if (refusal) add(refusal.code, `\`${name}\`: “${refusal.text}”`)
  if (action.auth !== 'none') add('key_required', 'No API key was given.')
  if (hasPrice) add('payment_required', 'No key and no payment. The header `PAYMENT-REQUIRED` has the price.')
  if (action.meter !== undefined) add('insufficient_credits', 'The free quota is used up, and there are no credits.')
  if (action.once || action.onceWhen) {
    add('idempotency_conflict', 'The `Idempotency-Key` was used with another request.')
    add('idempotency_in_flight', 'The first request with this `Idempotency-Key` is still running.')
  }
  for (const [code, when] of Object.entries(action.errors ?? {})) add(code as ErrorCode, when)
  const refusals = action.refusals ?? []
  return [
    ...[...errors]
      .map(([code, reasons]) => toView([code, unique(reasons).join(' ')]))
      .sort((a, b) => a.status - b.status),
    ...refusals.map((text) => ({ status: 200, code: '–', when: `The ledger: “${text}”` })),
  ]
}

const unique = (texts: readonly string[]) => [...new Set(texts)]
