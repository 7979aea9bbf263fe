import type { JsonObject } from '../../../kernel/shape.ts'
import { INVISIBLE, given, readText } from '../../../kernel/shown-fields.ts'
import { EMAIL_PATTERN } from '../../accounts/index.ts'
import { badField } from '../errors.ts'

const EMAIL = new RegExp(EMAIL_PATTERN)
const NAME_MAX = 120

/** The buyer that a merchant's request names. */
export interface BuyerRequest {
  name: string | null
  email: string | null
}

export function readBuyer(value: unknown): BuyerRequest | undefined {
  if (given(value) === undefined) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badField('buyer', 'buyer must be an object.')
  const { name, email } = value as JsonObject
  const read = {
    name: readText('buyer.name', name, NAME_MAX, INVISIBLE),
    email: given(email) === undefined ? null : readEmail(email, 'buyer.email'),
  }
  return read.name === null && read.email === null ? undefined : read
}

export function readEmail(value: unknown, field: string): string {
  const email = typeof value === 'string' ? value.trim() : ''
  if (!EMAIL.test(email)) throw badField(field, 'Invalid email', 'invalid_email')
  return email
}
