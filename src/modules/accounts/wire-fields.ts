import type { KeyKind } from '../../kernel/api-key.ts'
import { AppError, type ErrorCode } from '../../kernel/errors.ts'
import { type KeyBinding, SCOPES, type Scope } from '../../kernel/rights.ts'
import { type Raw, parseNano, toPlainDecimal } from '../../kernel/money.ts'
import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import { INVISIBLE } from '../../kernel/shown-fields.ts'
import type { Wanted } from './domain/grant.ts'

export const NAME_LENGTH_MAX = 100
export const ORIGINS_MAX = 20
export const BINDINGS_MAX = 20
const OVERLAP_HOURS_MAX = 7 * 24
const TOKEN_LENGTH_MAX = 200
const HOUR = 3_600_000
export const PER_MINUTE_MAX = 1_000_000
/** The last second that a date can represent. */
const UNIX_MAX = 253_402_300_799

const BINDINGS = ['addresses', 'templates']
const OF_SECRET_KEYS = ['scopes', 'per_minute', 'spend_daily_nano']
const RESTRICTIONS = ['expires_unix', ...OF_SECRET_KEYS, ...BINDINGS]

type Body = Readonly<Record<string, unknown>>

const refuse = (field: string, text: string, code: ErrorCode = 'invalid_request') =>
  new AppError(code, text, { body: { field } })

export function readSignInToken({ token }: Body): string {
  if (typeof token !== 'string' || token === '' || token.length > TOKEN_LENGTH_MAX) {
    throw refuse('token', 'token must be the text after # in the sign-in link.')
  }
  return token
}

/** Reads a request for a new key. */
export function readNewKey(
  { name, kind = 'secret', origins = [], ...wanted }: Body,
  now: number,
): { name: string; kind: KeyKind; origins: string[]; wanted: Wanted } {
  // An unknown restriction is refused; ignoring it would make a key without it.
  const unread = Object.keys(wanted).find((field) => !RESTRICTIONS.includes(field))
  if (unread !== undefined) throw refuse(unread, `${unread} is not a field of a key.`)
  const shown = typeof name === 'string' ? name.replace(INVISIBLE, '').trim() : ''
  if (shown === '' || shown.length > NAME_LENGTH_MAX) {
    throw refuse('name', `name must be a text of 1 to ${NAME_LENGTH_MAX} characters.`)
  }
  if (kind !== 'secret' && kind !== 'public') throw refuse('kind', 'kind must be secret or public.')
  const list: unknown[] | undefined = Array.isArray(origins) ? origins : undefined
  if (!list || list.length > ORIGINS_MAX || !list.every(isOrigin)) {
    throw refuse('origins', `origins must be a list of up to ${ORIGINS_MAX} origins such as https://shop.example.`)
  }
  if (kind === 'public' && list.length === 0) throw refuse('origins', 'A public key needs at least one origin.')
  if (kind === 'secret' && list.length > 0) throw refuse('origins', 'Only a public key can have origins.')
  return { name: shown, kind, origins: [...new Set(list)], wanted: readWanted(wanted, kind, now) }
}

/** Reads the rights and the end of a new key; what is null or missing is that of its maker. */
export function readWanted(body: Body, kind: KeyKind, now: number): Wanted {
  const { scopes, expires_unix: expires, per_minute: perMinute, spend_daily_nano: spend } = body
  const [other, foreign] = kind === 'public' ? ['secret', OF_SECRET_KEYS] : ['public', BINDINGS]
  const field = foreign.find((name) => isGiven(body[name]))
  if (field !== undefined) throw refuse(field, `Only a ${other} key can have ${field}.`)
  const soonest = Math.floor(now / 1000) + 1
  return {
    ...(isGiven(scopes) && { scopes: readScopes(scopes) }),
    ...(isGiven(expires) && { expiresAt: readWhole('expires_unix', expires, soonest, UNIX_MAX) * 1000 }),
    ...(isGiven(perMinute) && { perMinute: readWhole('per_minute', perMinute, 1, PER_MINUTE_MAX) }),
    ...(isGiven(spend) && { spendDaily: readSpend(spend) }),
    ...readBinding(body),
  }
}

/** Empty lists leave a key unbound. */
function readBinding({ addresses, templates }: Body): Pick<Wanted, 'boundTo'> {
  const read = (field: string, value: unknown, readOne: (text: string) => string | undefined, what: string) => {
    const list: unknown[] = isGiven(value) ? (Array.isArray(value) ? value : [undefined]) : []
    const found = list.map((one) => (typeof one === 'string' ? readOne(one.trim()) : undefined))
    if (list.length > BINDINGS_MAX || !found.every((one) => one !== undefined)) {
      throw refuse(field, `${field} must be a list of up to ${BINDINGS_MAX} ${what}.`)
    }
    return [...new Set(found)]
  }
  const boundTo: KeyBinding = {
    addresses: read('addresses', addresses, readAddress, 'Nano addresses'),
    templates: read('templates', templates, readCheckoutId, 'ids of checkouts such as 5c363461a1b2c3d4'),
  }
  return boundTo.addresses.length + boundTo.templates.length === 0 ? {} : { boundTo }
}

export function readAddress(text: string): string | undefined {
  const key = fromAddress(text)
  return key && toAddress(key)
}

export const readCheckoutId = (text: string) => /^[0-9a-f]{16}$/.exec(text.toLowerCase())?.[0]

const isGiven = (value: unknown) => value !== undefined && value !== null

function readScopes(value: unknown): Scope[] {
  const list: unknown[] = Array.isArray(value) ? value : []
  const known = SCOPES.filter((scope) => list.includes(scope))
  if (known.length === 0 || known.length !== new Set(list).size) {
    throw refuse('scopes', `scopes must be a list of ${SCOPES.join(', ')}.`)
  }
  return known
}

function readWhole(field: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
  throw refuse(field, `${field} must be a whole number from ${min} to ${max}.`)
}

/** Zero is allowed: such a key can spend nothing. */
export function readSpend(value: unknown): Raw {
  const isText = typeof value === 'string' || typeof value === 'number'
  const amount = isText ? parseNano(toPlainDecimal(String(value))) : undefined
  if (amount === undefined) throw refuse('spend_daily_nano', 'Invalid amount number', 'invalid_amount')
  return amount
}

/** How long the old key keeps working; undefined means the default. */
export function readOverlap({ overlap_hours: hours }: Body): number | undefined {
  if (hours === undefined) return undefined
  if (typeof hours !== 'number' || !Number.isInteger(hours) || hours < 0 || hours > OVERLAP_HOURS_MAX) {
    throw refuse('overlap_hours', `overlap_hours must be a whole number from 0 to ${OVERLAP_HOURS_MAX}.`)
  }
  return hours * HOUR
}

/** Exactly as browsers send it, because it is compared as text. */
export function isOrigin(value: unknown): value is string {
  if (typeof value !== 'string' || !/^https?:\/\//.test(value) || !URL.canParse(value)) return false
  return new URL(value).origin === value
}
