import type { Action } from '../kernel/action.ts'
import { AppError } from '../kernel/errors.ts'

/** Headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Where a credential may stand in a request. */
interface CredentialSources {
  headers: RequestHeaders
  url: string
  body: Readonly<Record<string, unknown>> | undefined
  /** Undefined at the REST interface, where no route has a parameter `key`. */
  action: Action | undefined
}

/**
 * The credential of a request. Clients send it in seven places (contract 5); an empty one is none, and two that differ
 * are refused, because guessing which one counts is how accounts get confused. Where an action has a parameter `key`
 * of its own (`account_get`), the body's `key` is that parameter; one that names `public_key` takes it as a credential.
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

/** A key as it is, after `Bearer`, or as the password of basic authentication. */
function readAuthorization(text: string): string {
  const [, basic] = /^Basic\s+(\S+)$/i.exec(text) ?? []
  if (basic === undefined) return text.replace(/^Bearer(\s+|$)/i, '')
  const pair = Buffer.from(basic, 'base64').toString()
  return pair.slice(pair.indexOf(':') + 1)
}
