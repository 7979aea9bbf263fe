import type { JsonObject } from '../../kernel/shape.ts'
import { SCOPES } from '../../kernel/rights.ts'
import { formatNano } from '../../kernel/money.ts'
import { perMinuteOf, spendDailyOf } from './keys-store.ts'
import { FEATURES } from './standing.ts'
import type { Account, ApiKey } from './store.ts'

const toTime = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds).toISOString())

export function showAccount({ id, email, role, createdAt }: Account): JsonObject {
  return { id, email, role, created_at: toTime(createdAt) }
}

/** An account in the operator's list. */
export function showListed(account: Account): JsonObject {
  return { ...showAccount(account), status: account.standing.suspendedAt === null ? 'active' : 'suspended' }
}

/** An account with the operator's settings for it; null means the default of the settings. */
export function showKnown(account: Account): JsonObject {
  const { suspendedAt, signedOutAt, plan, features } = account.standing
  return {
    ...showListed(account),
    suspended_at: toTime(suspendedAt),
    signed_out_at: toTime(signedOutAt),
    per_minute: plan.perMinute ?? null,
    concurrency: plan.concurrencyMax ?? null,
    features: Object.fromEntries(
      Object.keys(FEATURES).map((name) => [name, features[name as keyof typeof FEATURES] ?? null]),
    ),
  }
}

export function showKey(key: ApiKey, now: number): JsonObject {
  const spend = spendDailyOf(key)
  const expired = key.expiresAt !== null && key.expiresAt <= now
  return {
    id: key.id,
    kind: key.kind,
    start: key.start,
    name: key.name,
    made_by: key.madeBy,
    origins: key.origins,
    addresses: [...(key.boundTo?.addresses ?? [])],
    templates: [...(key.boundTo?.templates ?? [])],
    status: key.revokedAt !== null ? 'revoked' : expired ? 'expired' : 'live',
    created_at: toTime(key.createdAt),
    expires_at: toTime(key.expiresAt),
    revoked_at: toTime(key.revokedAt),
    last_used_at: toTime(key.lastUsedAt),
    scopes: key.kind === 'secret' ? [...(key.scopes ?? SCOPES)] : [],
    expires_unix: key.expiresAt === null ? null : Math.floor(key.expiresAt / 1000),
    per_minute: perMinuteOf(key) ?? null,
    spend_daily_nano: spend === undefined ? null : formatNano(spend),
  }
}
