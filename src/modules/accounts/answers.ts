import { answer } from '../../kernel/answers.ts'
import { ROLES, SCOPES } from '../../kernel/rights.ts'

const { text, orNull, list, record, words } = answer

const ACCOUNT_MEMBERS = {
  id: text,
  email: orNull(text),
  role: words('user', 'admin'),
  created_at: text,
}

export const ACCOUNT = record(ACCOUNT_MEMBERS)

const LISTED_MEMBERS = { ...ACCOUNT_MEMBERS, status: words('active', 'suspended') }

export const LISTED_ACCOUNT = record(LISTED_MEMBERS)

/** An account as the operator sees it. */
export const KNOWN_ACCOUNT = record({
  ...LISTED_MEMBERS,
  suspended_at: orNull(text),
  signed_out_at: orNull(text),
  per_minute: orNull(answer.integer),
  concurrency: orNull(answer.integer),
  features: record({ generated_wallets: orNull(answer.bool), wallet_sends: orNull(answer.bool) }),
})

export const KEY_MEMBERS = {
  id: text,
  kind: words('secret', 'public'),
  start: text,
  name: text,
  made_by: orNull(text),
  origins: list(text),
  addresses: list(answer.address),
  templates: list(text),
  status: words('live', 'expired', 'revoked'),
  created_at: text,
  expires_at: orNull(text),
  revoked_at: orNull(text),
  last_used_at: orNull(text),
  scopes: list(words(...SCOPES)),
  expires_unix: orNull(answer.unix),
  per_minute: orNull(answer.integer),
  spend_daily_nano: orNull(answer.nano),
}

export const KEY = record(KEY_MEMBERS)

export const MEMBER = record({
  id: text,
  email: text,
  role: words(...ROLES),
  status: words('active', 'invited', 'expired'),
  invited_at: text,
  expires_at: orNull(text),
  joined_at: orNull(text),
})

/** A passkey of the user who is signed in. */
export const PASSKEY = record({ id: text, name: text, created_at: text, last_used_at: orNull(text) })

export const PROFILE = record({
  name: orNull(text),
  logo: orNull(answer.url),
  logo_url: orNull(answer.url),
  support_email: orNull(text),
  support_url: orNull(answer.url),
  terms_url: orNull(answer.url),
  website: orNull(answer.url),
  accent: orNull(text),
  currency: orNull(text),
  time_zone: orNull(text),
  updated_unix: orNull(answer.unix),
})
