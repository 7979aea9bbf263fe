import { badField } from '../../kernel/errors.ts'
import { INVISIBLE, given, readText, readUrl } from '../../kernel/shown-fields.ts'
import { toAccent } from './domain/accent.ts'
import type { Profile } from './profile-store.ts'
import { EMAIL_PATTERN } from './wire-fields.ts'

const NAME_MAX = 80
const EMAIL = new RegExp(EMAIL_PATTERN)

type Body = Readonly<Record<string, unknown>>
export type ProfileChange = Partial<Omit<Profile, 'logoId' | 'updatedAt'>>

/** Reads only what stands in the body; `null` or an empty text takes a value away. */
export function readProfile(body: Body, rules: { plainHttpAllowed: boolean }): ProfileChange {
  const change: ProfileChange = {}
  if (body.name !== undefined) change.name = readText('name', body.name, NAME_MAX, INVISIBLE)
  // Where pictures may come from is decided by the way out, for every scheme and port.
  if (body.logo !== undefined) change.logoUrl = readUrl('logo', body.logo, { plainHttpAllowed: true })
  if (body.support_email !== undefined) change.supportEmail = readSupportEmail(body.support_email)
  if (body.support_url !== undefined) change.supportUrl = readUrl('support_url', body.support_url, rules)
  if (body.terms_url !== undefined) change.termsUrl = readUrl('terms_url', body.terms_url, rules)
  if (body.website !== undefined) change.website = readUrl('website', body.website, rules)
  if (body.accent !== undefined) change.accent = readAccent(body.accent)
  return change
}

function readSupportEmail(value: unknown): string | null {
  const email = given(value)
  if (email === undefined) return null
  if (typeof email !== 'string' || !EMAIL.test(email)) throw badField('support_email', 'Invalid email', 'invalid_email')
  return email
}

function readAccent(value: unknown): string | null {
  const colour = given(value)
  if (colour === undefined) return null
  const accent = typeof colour === 'string' ? toAccent(colour) : undefined
  if (accent === undefined) throw badField('accent', 'accent must be a colour such as #1a5fc7.')
  return accent
}
