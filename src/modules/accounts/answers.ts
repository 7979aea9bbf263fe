import { answer } from '../../kernel/answers.ts'
import { formatNano } from '../../kernel/money.ts'
import { SCOPES } from '../../kernel/rights.ts'
import { iso, isoOrNull, toTime, unixOrNull, view } from '../../kernel/view.ts'
import { perMinuteOf, spendDailyOf } from './keys-store.ts'
import type { Passkey } from './passkeys/store.ts'
import type { Account, ApiKey } from './store.ts'

const { text, bool, integer, orNull, list, record, words } = answer

export const account = view<Account>()({
  id: text,
  email: orNull(text),
  role: words('user', 'admin'),
  created_at: iso('createdAt'),
})

/** An account in the operator's list. */
export const listedAccount = view<Account>()({
  ...account.members,
  status: [words('active', 'suspended'), ({ standing }) => (standing.suspendedAt === null ? 'active' : 'suspended')],
})

/** An account with the operator's settings for it; null means the default of the settings. */
export const knownAccount = view<Account>()({
  ...listedAccount.members,
  suspended_at: [orNull(text), ({ standing }) => toTime(standing.suspendedAt)],
  signed_out_at: [orNull(text), ({ standing }) => toTime(standing.signedOutAt)],
  per_minute: [orNull(integer), ({ standing: { plan } }) => plan.perMinute ?? null],
  concurrency: [orNull(integer), ({ standing: { plan } }) => plan.concurrencyMax ?? null],
  features: [
    record({ generated_wallets: orNull(bool), wallet_sends: orNull(bool) }),
    ({ standing: { features } }) => ({
      generated_wallets: features.generated_wallets ?? null,
      wallet_sends: features.wallet_sends ?? null,
    }),
  ],
})

/** A key at a time. */
export const key = view<ApiKey, number>()({
  id: text,
  kind: words('secret', 'public'),
  start: text,
  name: text,
  made_by: orNull(text),
  origins: list(text),
  addresses: [list(answer.address), ({ boundTo }) => [...(boundTo?.addresses ?? [])]],
  templates: [list(text), ({ boundTo }) => [...(boundTo?.templates ?? [])]],
  status: [
    words('live', 'expired', 'revoked'),
    ({ revokedAt, expiresAt }, now) =>
      revokedAt !== null ? 'revoked' : expiresAt !== null && expiresAt <= now ? 'expired' : 'live',
  ],
  created_at: iso('createdAt'),
  expires_at: isoOrNull('expiresAt'),
  revoked_at: isoOrNull('revokedAt'),
  last_used_at: isoOrNull('lastUsedAt'),
  scopes: [list(words(...SCOPES)), ({ kind, scopes }) => (kind === 'secret' ? [...(scopes ?? SCOPES)] : [])],
  expires_unix: unixOrNull('expiresAt'),
  per_minute: [orNull(integer), (of) => perMinuteOf(of) ?? null],
  spend_daily_nano: [
    orNull(answer.nano),
    (of) => {
      const spend = spendDailyOf(of)
      return spend === undefined ? null : formatNano(spend)
    },
  ],
})

/** A passkey of the user who is signed in. */
export const passkey = view<Passkey>()({
  id: text,
  name: text,
  created_at: iso('createdAt'),
  last_used_at: isoOrNull('lastUsedAt'),
})
