import { type KeyLimits, type KeyRights, SCOPES, type Scope } from '../../kernel/key-rights.ts'
import { toRaw } from '../../kernel/money.ts'
import type { ApiKeysTable } from './tables.ts'

/** What a key was made with beside its name, as its row has it. */
export interface Granted {
  /** Null is everything. */
  scopes: readonly Scope[] | null
  limits: readonly KeyLimits[]
  lastsUntil: number | null
}

interface StoredLimits {
  id: string
  per_minute?: number
  spend_daily_raw?: string
}

type Columns = Pick<ApiKeysTable, 'scopes' | 'limits' | 'lasts_until'>

export function toGranted({ scopes, limits, lasts_until: lastsUntil }: Columns): Granted {
  return {
    // One that a later version has added means nothing here, and gives nothing.
    scopes: scopes === null ? null : SCOPES.filter((scope) => (JSON.parse(scopes) as string[]).includes(scope)),
    limits: limits === null ? [] : (JSON.parse(limits) as StoredLimits[]).map(toLimits),
    lastsUntil,
  }
}

const toLimits = ({ id, per_minute: perMinute, spend_daily_raw: spend }: StoredLimits): KeyLimits => ({
  id,
  perMinute,
  spendDaily: spend === undefined ? undefined : toRaw(BigInt(spend)),
})

export function fromGranted({ scopes, limits, lastsUntil }: Granted): Columns {
  const stored = limits.map(({ id, perMinute, spendDaily }): StoredLimits => ({
    id,
    ...(perMinute !== undefined && { per_minute: perMinute }),
    ...(spendDaily !== undefined && { spend_daily_raw: spendDaily.toString() }),
  }))
  return {
    scopes: scopes === null ? null : JSON.stringify(scopes),
    limits: stored.length === 0 ? null : JSON.stringify(stored),
    lasts_until: lastsUntil,
  }
}

/** What binds the holder of a key; undefined where it may do everything. */
export function rightsOf({ scopes, limits }: Pick<Granted, 'scopes' | 'limits'>): KeyRights | undefined {
  return scopes === null && limits.length === 0 ? undefined : { scopes: scopes ?? undefined, limits }
}

const least = (values: readonly (bigint | number | undefined)[]) =>
  values.reduce((low, value) => (low === undefined || (value !== undefined && value < low) ? value : low), undefined)

/** The tightest of its limits: what it can do at most. */
export const perMinuteOf = ({ limits }: Pick<Granted, 'limits'>) =>
  least(limits.map(({ perMinute }) => perMinute)) as number | undefined
export const spendDailyOf = ({ limits }: Pick<Granted, 'limits'>) =>
  least(limits.map(({ spendDaily }) => spendDaily)) as bigint | undefined
