import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { badField } from '../../../kernel/errors.ts'
import { INVISIBLE } from '../../../kernel/shown-fields.ts'

const NAME_LENGTH_MAX = 60
const CODE_LENGTH_MAX = 100
const PART_LENGTH_MAX = 20_000

type Body = Readonly<Record<string, unknown>>

const isPart = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= PART_LENGTH_MAX && /^[\w-]+$/.test(value)

/** The needed parts of a browser's credential, in base64url; the credential is an object or its JSON text. */
function readParts({ credential }: Body, names: readonly string[]): { id: string; parts: Record<string, string> } {
  const given = typeof credential === 'string' ? parse(credential) : credential
  const { id, type, response } = (given ?? {}) as Record<string, unknown>
  const found = (response ?? {}) as Record<string, unknown>
  if (type === 'public-key' && isPart(id) && names.every((name) => isPart(found[name]))) {
    return { id, parts: found as Record<string, string> }
  }
  throw badField('credential', 'credential must be the JSON response from the browser.')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, so not a credential.
    return undefined
  }
}

const common = (id: string) => ({ id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} })

export function readMade(body: Body): RegistrationResponseJSON {
  const { id, parts } = readParts(body, ['clientDataJSON', 'attestationObject'])
  const { clientDataJSON, attestationObject } = parts as Record<string, string> & RegistrationResponseJSON['response']
  return { ...common(id), response: { clientDataJSON, attestationObject } }
}

export function readSigned(body: Body): AuthenticationResponseJSON {
  const { id, parts } = readParts(body, ['clientDataJSON', 'authenticatorData', 'signature'])
  const { clientDataJSON, authenticatorData, signature, userHandle } = parts as Record<string, string> &
    AuthenticationResponseJSON['response']
  return {
    ...common(id),
    response: { clientDataJSON, authenticatorData, signature, ...(isPart(userHandle) && { userHandle }) },
  }
}

export function readPasskeyName({ name }: Body): string {
  const shown = typeof name === 'string' ? name.replace(INVISIBLE, '').trim() : ''
  if (shown === '' || shown.length > NAME_LENGTH_MAX) {
    throw badField('name', `name must be a text of 1 to ${NAME_LENGTH_MAX} characters.`)
  }
  return shown
}

/** Accepts a code in upper or lower case, with or without separators. */
export function readCode({ code }: Body): string {
  if (typeof code !== 'string' || code.length > CODE_LENGTH_MAX) throw badField('code', 'code must be a recovery code.')
  const typed = code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  // No code contains these letters: they were misread for the digits that look like them.
  return typed.replaceAll('o', '0').replaceAll(/[il]/g, '1')
}
