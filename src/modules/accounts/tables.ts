import type { ApiKeysTable } from './store.ts'
import type { PasskeysTable } from './passkeys/store.ts'
import { encryptedIn } from '../../kernel/encrypted.ts'
import type { ProfileColumns } from './account-profile.ts'
import type { MemberColumns } from './people/member.ts'

declare module '../../kernel/db.ts' {
  interface Tables {
    /** A customer, who has keys and credits. Not to be confused with an address of the ledger. */
    accounts: {
      id: string
      email: string | null
      role: 'user' | 'admin'
      created_at: number
      /** Since when its keys and sessions do not work. */
      suspended_at: number | null
      /** Sessions that began before this time have ended. */
      signed_out_at: number | null
      /** Limits that replace those of its plan; 0 means none. */
      per_minute: number | null
      concurrency: number | null
      /** JSON object of the features that the operator has switched on or off for it. */
      features: string | null
      /** 1 where its people may sign in by mail although they have passkeys. */
      mail_links: number | null
    }
    members: MemberColumns
    passkeys: PasskeysTable
    /** One-time codes for a person who has lost every passkey. */
    recovery_codes: {
      code_hash: string
      email: string
      created_at: number
      used_at: number | null
    }
    /** A challenge for a device to sign, deleted by its first use. */
    passkey_challenges: {
      challenge_hash: string
      purpose: 'sign-in' | 'enrol' | 'prove'
      /** The session that requested it, or the browser before sign-in. */
      bound_to: string
      user_handle: string | null
      expires_at: number
    }
    api_keys: ApiKeysTable
    sign_in_links: {
      token_hash: string
      email: string
      created_at: number
      expires_at: number
      used_at: number | null
    }
    session_secrets: {
      id: string
      secret: string
      created_at: number
    }
    /** A session that was ended early. */
    ended_sessions: {
      id: string
      expires_at: number
    }
    audit_entries: {
      id: string
      at: number
      /** The id of the actor; in entries from before 0.3 the account's id where a key acted. */
      actor: string
      account_id: string | null
      what: string
      detail: string
    }
    /** The credits that an account can spend; never negative, and always the sum of its entries minus its open reservations. */
    credit_balances: {
      account_id: string
      available: number
    }
    /** The ledger of credits: every change, once for each reference. */
    credit_entries: {
      id: string
      account_id: string
      amount: number
      reason: string
      reference: string
      created_at: number
    }
    credit_reservations: {
      id: string
      account_id: string
      amount: number
      status: 'open' | 'committed' | 'released'
      created_at: number
      expires_at: number
    }
    /** A caller's free uses in a period, which begins with the first use. */
    free_uses: {
      caller: string
      meter: string
      ends_at: number
      taken: number
    }
    /** What a limited key has reserved or spent; deleted where nothing came of it. */
    key_spends: {
      limit_id: string
      /** Identifies what it is for. */
      reference: string
      day: string
      amount_raw: string
      /** The earlier reservation that it replaced, and its amount. */
      covers: string | null
      covered_raw: string | null
    }
    /** The sum of a day's reservations, which is compared with the limit. */
    key_spend_days: {
      limit_id: string
      day: string
      spent_raw: string
    }
    account_profiles: ProfileColumns
    /** An account's logo as the gateway has converted it. */
    account_logos: {
      account_id: string
      /** A hash of its bytes, so that another logo has another URL. */
      id: string
      type: string
      width: number
      height: number
      /** In base64. */
      data: string
    }
    /** A picture that an account has uploaded, as the gateway has converted it. */
    account_pictures: {
      /** A hash of the account and the bytes: uploaded again, a picture is the same row. */
      id: string
      account_id: string
      type: string
      width: number
      height: number
      /** The size of the file. */
      bytes: number
      /** In base64. */
      data: string
      created_at: number
    }
    usage_days: {
      account_id: string
      day: string
      action: string
      count: number
    }
    /** Batches of usage that were counted, so that a repeated flush changes nothing. */
    usage_batches: {
      id: string
      created_at: number
    }
    /** A request made with a key of an account, without its content. */
    account_requests: {
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
  }
}

/** Ordered so that every table comes after the tables that it refers to. */
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
  'account_pictures',
  'usage_days',
  'usage_batches',
  'account_requests',
] as const

export const sessionSecretContext = encryptedIn(
  { table: 'session_secrets', columns: ['secret'], key: ['id'] },
  (id) => `session|${id}`,
)

export const ACCOUNT_ENCRYPTED = [sessionSecretContext]
