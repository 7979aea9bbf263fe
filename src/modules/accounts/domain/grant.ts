import type { KeyKind } from '../../../kernel/api-key.ts'
import { type KeyBinding, type KeyLimits, SCOPES, type Scope } from '../../../kernel/rights.ts'
import type { Raw } from '../../../kernel/money.ts'
import { keyExceedsMaker, scopeBeyondMaker } from '../errors.ts'
import { type Granted, perMinuteOf, spendDailyOf } from '../keys-store.ts'
import type { ApiKey } from '../store.ts'

/** Each key that makes a key with limits adds a limit. With more of them, people could not see which apply. */
const LIMITS_MAX = 10

/** The key or the person that makes a key. */
export type Maker = Pick<ApiKey, 'id' | 'scopes' | 'limits' | 'expiresAt' | 'madeBy' | 'makerRole'>

/** The rights requested for a new key; missing ones are those of its maker. */
export interface Wanted {
  scopes?: readonly Scope[] | undefined
  expiresAt?: number | undefined
  perMinute?: number | undefined
  spendDaily?: Raw | undefined
  /** Only for a public key. */
  boundTo?: KeyBinding | undefined
}

/**
 * The rights of a new key: never more than those of the person or key that makes it, even counted together, nor for
 * longer. On the command line, where there is no maker, it gets what was asked for.
 */
export function grant(id: string, kind: KeyKind, wanted: Wanted, maker: Maker | undefined): Granted {
  const { perMinute, spendDaily } = wanted
  const boundTo = wanted.boundTo ?? null
  const lastsUntil = wanted.expiresAt ?? maker?.expiresAt ?? null
  const own: KeyLimits[] = perMinute === undefined && spendDaily === undefined ? [] : [{ id, perMinute, spendDaily }]
  if (!maker) {
    return { scopes: wanted.scopes ?? null, limits: own, lastsUntil, madeBy: null, makerRole: undefined, boundTo }
  }
  const { madeBy, makerRole } = maker
  if (maker.expiresAt !== null && lastsUntil! > maker.expiresAt) throw keyExceedsMaker('expires_unix')
  // Anyone can read a public key and make checkouts with it.
  if (kind === 'public') {
    requireGiveable(maker, 'checkout')
    // The uses of a public key would not count towards its maker's limit.
    if (perMinuteOf(maker) !== undefined) throw keyExceedsMaker('per_minute')
    return { scopes: null, limits: [], lastsUntil, madeBy, makerRole, boundTo }
  }
  for (const scope of wanted.scopes ?? []) requireGiveable(maker, scope)
  if (isAbove(perMinute, perMinuteOf(maker))) throw keyExceedsMaker('per_minute')
  if (isAbove(spendDaily, spendDailyOf(maker))) throw keyExceedsMaker('spend_daily_nano')
  const limits = [...own, ...maker.limits]
  if (limits.length > LIMITS_MAX) throw keyExceedsMaker('limits')
  return { scopes: wanted.scopes ?? maker.scopes, limits, lastsUntil, madeBy, makerRole, boundTo }
}

function requireGiveable(maker: Maker, scope: Scope): void {
  if (maker.scopes?.includes(scope) ?? true) return
  throw scopeBeyondMaker(scope, maker.id === maker.madeBy ? maker.makerRole : undefined)
}

const isAbove = (wanted: bigint | number | undefined, max: bigint | number | undefined) =>
  wanted !== undefined && max !== undefined && wanted > max

/** The caller who rotates a key gets the new one, so a key may rotate only keys that it could have made. */
export function requireWithin(target: ApiKey, maker: Maker | undefined): void {
  if (!maker || maker.id === target.id) return
  const { expiresAt } = maker
  if (expiresAt !== null && (target.lastsUntil ?? Infinity) > expiresAt) throw keyExceedsMaker('expires_unix')
  if (target.kind === 'public') {
    requireGiveable(maker, 'checkout')
    return
  }
  for (const scope of target.scopes ?? SCOPES) requireGiveable(maker, scope)
  const ids = target.limits.map(({ id }) => id)
  if (maker.limits.some(({ id }) => !ids.includes(id))) throw keyExceedsMaker('limits')
}
