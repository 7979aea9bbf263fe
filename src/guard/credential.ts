import type { Action } from '../kernel/action.ts'
import { AppError } from '../kernel/errors.ts'

/** Where a credential may stand in a request. */
export interface CredentialSources {
  header(name: string): string | undefined
  body: Readonly<Record<string, unknown>>
  queryKey: string | undefined
}

/**
 * The credential of a request. Clients send it in six places (contract 5); an empty one is none, and two that differ
 * are refused, because guessing which one counts is how accounts get confused. Where an action has a parameter `key`
 * of its own (`account_get`), the body's `key` is that parameter.
 */
export function extractCredential({ header, body, queryKey }: CredentialSources, action: Action): string | undefined {
  const authorization = header('authorization')?.trim()
  const found = [
    authorization?.replace(/^Bearer(\s+|$)/i, ''),
    header('key'),
    header('x-api-key'),
    typeof body.key === 'string' && !('key' in action.input.properties) ? body.key : undefined,
    queryKey,
  ]
    .map((text) => text?.trim())
    .filter((text) => text !== undefined && text !== '')
  if (new Set(found).size > 1) {
    throw new AppError('conflicting_credentials', 'Two different API keys were given.')
  }
  return found[0]
}
