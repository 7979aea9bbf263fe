import type { Action } from '../kernel/action.ts'
import { AppError } from '../kernel/errors.ts'

/** Headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The parts of a request that may contain a credential. */
interface CredentialSources {
  headers: RequestHeaders
  url: string
  body: Readonly<Record<string, unknown>> | undefined
  /** Undefined at the REST interface, where no route has a parameter `key`. */
  action: Action | undefined
}

/**
 * Reads the credential of a request. Clients send it in one of seven places (contract 5). An empty one counts as none.
 * Two different ones are refused, because it would be unclear whose account is meant. If an action has a parameter
 * `key` (`account_get`), `key` in the body is that parameter; if it has a parameter `public_key`, that is the
 * credential.
 */
export function extractCredential({ headers, url, body, action }: CredentialSources): string | undefined {
  const properties = action?.input.properties ?? {}
  let found: string | undefined
  const take = (text: unknown) => {
    if (typeof text !== 'string') return
    const credential = text.trim()
    if (credential === '') return
    if (found !== undefined && found !== credential) {
      throw new AppError('conflicting_credentials', 'Two different API keys were given.')
    }
    found = credential
  }
  if (typeof headers.authorization === 'string') take(readAuthorization(headers.authorization.trim()))
  take(headers.key)
  take(headers['x-api-key'])
  if (body?.key !== undefined && !('key' in properties)) take(body.key)
  if ('public_key' in properties) take(body?.public_key)
  const query = url.indexOf('?')
  if (query >= 0) for (const key of new URLSearchParams(url.slice(query)).getAll('key')) take(key)
  return found
}

/** The key itself, the token after `Bearer`, or the password of basic authentication. */
function readAuthorization(text: string): string {
  const [, basic] = /^Basic\s+(\S+)$/i.exec(text) ?? []
  if (basic === undefined) return text.replace(/^Bearer(\s+|$)/i, '')
  const pair = Buffer.from(basic, 'base64').toString()
  return pair.slice(pair.indexOf(':') + 1)
}
