import type { KeyKind } from '../../../kernel/api-key.ts'
import { type KeyLimits, SCOPES, type Scope, requireScope } from '../../../kernel/key-rights.ts'
import type { Raw } from '../../../kernel/money.ts'
import { keyExceedsMaker } from '../errors.ts'
import { type Granted, perMinuteOf, rightsOf, spendDailyOf } from '../key-rights-store.ts'
import type { ApiKey } from '../store.ts'

/** Each key that makes another with limits of its own adds one; beyond this no reader could follow what holds. */
const LIMITS_MAX = 10

/** A key that makes another, or a person who may not give everything. */
export type Maker = Pick<ApiKey, 'id' | 'scopes' | 'limits' | 'expiresAt'>

/** What is asked for of a new key; what is left out is what its maker has. */
export interface Wanted {
  scopes?: readonly Scope[] | undefined
  expiresAt?: number | undefined
  perMinute?: number | undefined
  spendDaily?: Raw | undefined
}

/**
 * What a new key may do: never more than the key it is made with, by itself or together with it, nor for longer. Without such a key
 * a person asks, or the command line, and gets what is asked for.
 */
export function grant(id: string, kind: KeyKind, wanted: Wanted, maker: Maker | undefined): Granted {
  const { perMinute, spendDaily } = wanted
  const lastsUntil = wanted.expiresAt ?? maker?.expiresAt ?? null
  const own: KeyLimits[] = perMinute === undefined && spendDaily === undefined ? [] : [{ id, perMinute, spendDaily }]
  if (!maker) return { scopes: wanted.scopes ?? null, limits: own, lastsUntil }
  const holder = { rights: rightsOf(maker) }
  if (maker.expiresAt !== null && lastsUntil! > maker.expiresAt) throw keyExceedsMaker('expires_unix')
  // Everybody who reads a public key can make checkouts with it.
  if (kind === 'public') {
    requireScope(holder, 'checkout')
    // Nothing would count what such a key is used for with what its maker is.
    if (perMinuteOf(maker) !== undefined) throw keyExceedsMaker('per_minute')
    return { scopes: null, limits: [], lastsUntil }
  }
  for (const scope of wanted.scopes ?? []) requireScope(holder, scope)
  if (isAbove(perMinute, perMinuteOf(maker))) throw keyExceedsMaker('per_minute')
  if (isAbove(spendDaily, spendDailyOf(maker))) throw keyExceedsMaker('spend_daily_nano')
  const limits = [...own, ...maker.limits]
  if (limits.length > LIMITS_MAX) throw keyExceedsMaker('limits')
  return { scopes: wanted.scopes ?? maker.scopes, limits, lastsUntil }
}

const isAbove = (wanted: bigint | number | undefined, max: bigint | number | undefined) =>
  wanted !== undefined && max !== undefined && wanted > max

/** The caller that rotates a key learns the new one: another may be rotated only by one that could have made it. */
export function requireWithin(target: ApiKey, maker: Maker | undefined): void {
  if (!maker || maker.id === target.id) return
  const { expiresAt } = maker
  if (expiresAt !== null && (target.lastsUntil ?? Infinity) > expiresAt) throw keyExceedsMaker('expires_unix')
  const holder = { rights: rightsOf(maker) }
  if (target.kind === 'public') {
    requireScope(holder, 'checkout')
    return
  }
  for (const scope of target.scopes ?? SCOPES) requireScope(holder, scope)
  // Everything is more than a list of all there is now.
  if (target.scopes === null && maker.scopes !== null) throw keyExceedsMaker('scopes')
  const ids = target.limits.map(({ id }) => id)
  if (maker.limits.some(({ id }) => !ids.includes(id))) throw keyExceedsMaker('limits')
}
