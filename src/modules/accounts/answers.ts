import { answer } from '../../kernel/answers.ts'

const { text, orNull, list, record, words } = answer

export const ACCOUNT = record({ id: text, email: orNull(text), role: words('user', 'admin'), created_at: text })

export const KEY_MEMBERS = {
  id: text,
  kind: words('secret', 'public'),
  start: text,
  name: text,
  origins: list(text),
  status: words('live', 'expired', 'revoked'),
  created_at: text,
  expires_at: orNull(text),
  revoked_at: orNull(text),
  last_used_at: orNull(text),
}

export const KEY = record(KEY_MEMBERS)
