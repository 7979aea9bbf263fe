import type { JsonObject } from '../../kernel/shape.ts'
import { SCOPES } from '../../kernel/key-rights.ts'
import { formatNano } from '../../kernel/money.ts'
import { perMinuteOf, spendDailyOf } from './key-rights-store.ts'
import type { Account, ApiKey } from './store.ts'

const toTime = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds).toISOString())

export function showAccount({ id, email, role, createdAt }: Account): JsonObject {
  return { id, email, role, created_at: toTime(createdAt) }
}

export function showKey(key: ApiKey, now: number): JsonObject {
  const spend = spendDailyOf(key)
  const expired = key.expiresAt !== null && key.expiresAt <= now
  return {
    id: key.id,
    kind: key.kind,
    start: key.start,
    name: key.name,
    origins: key.origins,
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
