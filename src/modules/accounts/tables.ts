import type { Role } from '../../kernel/rights.ts'

/** A customer. A ledger account is an address; this is who holds keys and credits. */
export interface AccountsTable {
  id: string
  email: string | null
  role: 'user' | 'admin'
  created_at: number
  /** Since when its keys and sessions open nothing. */
  suspended_at: number | null
  /** Sessions that began before are over. */
  signed_out_at: number | null
  /** Limits of its own, in place of those of its plan; 0 is none. */
  per_minute: number | null
  concurrency: number | null
  /** JSON object of what the operator has switched on or off for it. */
  features: string | null
  /** 1 where its people may sign in by mail although they have passkeys. */
  mail_links: number | null
}

/** Somebody of an account, by their address: invited, there, or gone. */
export interface MembersTable {
  id: string
  account_id: string
  /** In small letters. */
  email: string
  role: Role
  invited_by: string | null
  invited_at: number
  /** Until when an invitation can be accepted; null for who came by themselves. */
  expires_at: number | null
  joined_at: number | null
  ended_at: number | null
  /** Sessions of theirs that began before are over, but for the one in which that was done. */
  signed_out_at: number | null
  kept_session: string | null
}

/** A way in of a person, whatever accounts they belong to. Only the public half of it is here. */
export interface PasskeysTable {
  id: string
  /** In small letters. */
  email: string
  /** What the device knows the person by; all passkeys of a person have the same. */
  user_handle: string
  credential_id: string
  public_key: string
  /** How often the device says it has signed; some always say 0. */
  counter: number
  name: string
  created_at: number
  last_used_at: number | null
}

/** Each opens once, for a person who has lost every passkey. */
interface RecoveryCodesTable {
  code_hash: string
  email: string
  created_at: number
  used_at: number | null
}

/** What a device is asked to sign: taken out by the first who brings it back. */
export interface PasskeyChallengesTable {
  challenge_hash: string
  purpose: 'sign-in' | 'enrol' | 'prove'
  /** The session that asked, or the browser where there is none yet. */
  bound_to: string
  user_handle: string | null
  expires_at: number
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
  /** JSON list of what a secret key may do; null is everything. */
  scopes: string | null
  /** JSON list of limits that hold for it. */
  limits: string | null
  /** The end it was made with, which its successor has too; `expires_at` may be sooner, once it was replaced. */
  lasts_until: number | null
  /** The member who made it, or made the key that made it: their role bounds it. Null for the operator's, and where it is not known. */
  made_by: string | null
  /** JSON of the addresses and templates that a public key is bound to; null is none. */
  bound_to: string | null
}

interface SignInLinksTable {
  token_hash: string
  email: string
  created_at: number
  expires_at: number
  used_at: number | null
}

interface SessionSecretsTable {
  id: string
  secret: string
  created_at: number
}

/** A session that was ended before its time. */
interface EndedSessionsTable {
  id: string
  expires_at: number
}

export interface AuditEntriesTable {
  id: string
  at: number
  /** The id of who acted; the id of the account in entries of before 0.3 where a key did. */
  actor: string
  account_id: string | null
  what: string
  detail: string
}

/** What an account can spend now; never below zero. Always the sum of its entries less its open reservations. */
interface CreditBalancesTable {
  account_id: string
  available: number
}

/** The ledger of credits: every change once, by its reference. */
interface CreditEntriesTable {
  id: string
  account_id: string
  amount: number
  reason: string
  reference: string
  created_at: number
}

interface CreditReservationsTable {
  id: string
  account_id: string
  amount: number
  status: 'open' | 'committed' | 'released'
  created_at: number
  expires_at: number
}

export interface UsageDaysTable {
  account_id: string
  day: string
  action: string
  count: number
}

/** Batches of usage that are counted already, so that a repeated flush changes nothing. */
interface UsageBatchesTable {
  id: string
  created_at: number
}

/** What a caller has had for nothing, in a stretch of time that began with its first use. */
interface FreeUsesTable {
  caller: string
  meter: string
  ends_at: number
  taken: number
}

/** What a limited key has set aside or spent: gone again where nothing came of it. */
interface KeySpendsTable {
  limit_id: string
  /** What it is for, once. */
  reference: string
  day: string
  amount_raw: string
  /** What it has taken the place of, and of how much. */
  covers: string | null
  covered_raw: string | null
}

/** What an account shows of itself to those who pay it. */
export interface AccountProfilesTable {
  account_id: string
  name: string | null
  /** Where its picture came from; we serve our own copy. */
  logo_url: string | null
  logo_id: string | null
  support_email: string | null
  support_url: string | null
  terms_url: string | null
  website: string | null
  /** As `#1a5fc7`. */
  accent: string | null
  updated_at: number
}

/** Its picture, as we made it. */
export interface AccountLogosTable {
  account_id: string
  /** Of its bytes: another picture has another address. */
  id: string
  type: string
  width: number
  height: number
  /** In base 64. */
  data: string
}

/** The sum of those, which is what a limit is compared with. */
interface KeySpendDaysTable {
  limit_id: string
  day: string
  spent_raw: string
}

/** What was asked with a key of an account; never what was sent. */
interface AccountRequestsTable {
  id: string
  account_id: string
  at: number
  request_id: string
  action: string
  status: number
  code: string | null
  microseconds: number
  key_id: string | null
  stands_for: number
}

export interface AccountTables {
  accounts: AccountsTable
  members: MembersTable
  passkeys: PasskeysTable
  recovery_codes: RecoveryCodesTable
  passkey_challenges: PasskeyChallengesTable
  api_keys: ApiKeysTable
  sign_in_links: SignInLinksTable
  session_secrets: SessionSecretsTable
  ended_sessions: EndedSessionsTable
  audit_entries: AuditEntriesTable
  credit_balances: CreditBalancesTable
  credit_entries: CreditEntriesTable
  credit_reservations: CreditReservationsTable
  free_uses: FreeUsesTable
  key_spends: KeySpendsTable
  key_spend_days: KeySpendDaysTable
  account_profiles: AccountProfilesTable
  account_logos: AccountLogosTable
  usage_days: UsageDaysTable
  usage_batches: UsageBatchesTable
  account_requests: AccountRequestsTable
}

/** In an order in which references are already there. */
export const ACCOUNT_TABLES = [
  'accounts',
  'members',
  'passkeys',
  'recovery_codes',
  'passkey_challenges',
  'api_keys',
  'sign_in_links',
  'session_secrets',
  'ended_sessions',
  'audit_entries',
  'credit_balances',
  'credit_entries',
  'credit_reservations',
  'free_uses',
  'key_spends',
  'key_spend_days',
  'account_profiles',
  'account_logos',
  'usage_days',
  'usage_batches',
  'account_requests',
] as const satisfies readonly (keyof AccountTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends AccountTables {}
}
