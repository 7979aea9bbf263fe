/** A customer. A ledger account is an address; this is who holds keys and credits. */
export interface AccountsTable {
  id: string
  email: string | null
  role: 'user' | 'admin'
  created_at: number
}

/** Only the hash of a key is kept; `start` is what may be shown of it. */
export interface ApiKeysTable {
  id: string
  account_id: string
  kind: 'secret' | 'public'
  hash: string
  start: string
  name: string
  /** JSON list of origins a public key may be used from. */
  origins: string
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
  /** The key whose place it took. */
  predecessor: string | null
}

export interface SignInLinksTable {
  token_hash: string
  email: string
  created_at: number
  expires_at: number
  used_at: number | null
}

export interface SessionSecretsTable {
  id: string
  secret: string
  created_at: number
}

/** A session that was ended before its time. */
export interface EndedSessionsTable {
  id: string
  expires_at: number
}

export interface AuditEntriesTable {
  id: string
  at: number
  actor: string
  account_id: string | null
  what: string
  detail: string
}
