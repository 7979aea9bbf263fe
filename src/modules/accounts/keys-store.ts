import type { Db, Tables } from '../../kernel/db.ts'
import {
  type KeyBinding,
  type KeyLimits,
  type KeyRights,
  type MemberRole,
  SCOPES,
  type Scope,
  roleMay,
  scopesOfRole,
} from '../../kernel/rights.ts'
import { toRaw } from '../../kernel/money.ts'

/** The rights with which a key was made. */
export interface Granted {
  /** Null means all. In a key that was read, reduced to what its maker's current role allows. */
  scopes: readonly Scope[] | null
  limits: readonly KeyLimits[]
  lastsUntil: number | null
  /** The member whose role bounds the key, and that role: `guest` for a member who is gone, undefined where no member made it. */
  madeBy: string | null
  makerRole: MemberRole | undefined
  boundTo: KeyBinding | null
}

/** Columns of the account and the maker that every query for keys adds. */
export interface MakerColumns {
  account_role: 'user' | 'admin'
  maker_role: MemberRole | null
}

interface StoredLimits {
  id: string
  per_minute?: number
  spend_daily_raw?: string
}

type Columns = Pick<Tables['api_keys'], 'scopes' | 'limits' | 'lasts_until' | 'made_by' | 'bound_to'>

/** Every query reads keys through this function, so that a key can do no more than its maker's role allows now. */
export function toGranted(row: Columns & MakerColumns): Granted {
  const { scopes, limits, lasts_until: lastsUntil, made_by: madeBy, account_role: of } = row
  const makerRole = madeBy === null ? undefined : (row.maker_role ?? 'guest')
  const most = makerRole && scopesOfRole(makerRole, of === 'admin')
  // A scope that only a later version knows grants nothing.
  const own = scopes === null ? SCOPES : SCOPES.filter((scope) => (JSON.parse(scopes) as string[]).includes(scope))
  return {
    scopes: scopes === null && !most ? null : own.filter((scope) => most?.includes(scope) ?? true),
    limits: limits === null ? [] : (JSON.parse(limits) as StoredLimits[]).map(toLimits),
    lastsUntil,
    madeBy,
    makerRole,
    boundTo: row.bound_to === null ? null : (JSON.parse(row.bound_to) as KeyBinding),
  }
}

const toLimits = ({ id, per_minute: perMinute, spend_daily_raw: spend }: StoredLimits): KeyLimits => ({
  id,
  perMinute,
  spendDaily: spend === undefined ? undefined : toRaw(BigInt(spend)),
})

export function fromGranted({ scopes, limits, lastsUntil, madeBy, boundTo }: Granted): Columns {
  const stored = limits.map(({ id, perMinute, spendDaily }): StoredLimits => ({
    id,
    ...(perMinute !== undefined && { per_minute: perMinute }),
    ...(spendDaily !== undefined && { spend_daily_raw: spendDaily.toString() }),
  }))
  return {
    scopes: scopes === null ? null : JSON.stringify(scopes),
    limits: stored.length === 0 ? null : JSON.stringify(stored),
    lasts_until: lastsUntil,
    made_by: madeBy,
    bound_to: boundTo && JSON.stringify(boundTo),
  }
}

/** The rights that limit a key's holder; undefined where nothing does. */
export function rightsOf(key: Omit<Granted, 'lastsUntil' | 'madeBy'>): KeyRights | undefined {
  const { scopes, limits, makerRole, boundTo } = key
  const isBound = !isWhole({ makerRole })
  if (scopes === null && limits.length === 0 && !isBound && !boundTo) return undefined
  return { scopes: scopes ?? undefined, limits, ...(isBound && { makerRole }), ...(boundTo && { boundTo }) }
}

/** Whether a key may do everything its account may, such as administer the service. */
export const isWhole = ({ makerRole }: Pick<Granted, 'makerRole'>): boolean =>
  makerRole === undefined || roleMay(makerRole, 'administration', 'all')

const least = (values: readonly (bigint | number | undefined)[]) =>
  values.reduce((low, value) => (low === undefined || (value !== undefined && value < low) ? value : low), undefined)

/** The tightest of its limits, which is the effective one. */
export const perMinuteOf = ({ limits }: Pick<Granted, 'limits'>) =>
  least(limits.map(({ perMinute }) => perMinute)) as number | undefined
export const spendDailyOf = ({ limits }: Pick<Granted, 'limits'>) =>
  least(limits.map(({ spendDaily }) => spendDaily)) as bigint | undefined

/** Records which key was replaced. */
export async function markSuccession(db: Db, { keyId, predecessor }: { keyId: string; predecessor: string }) {
  await db.updateTable('api_keys').set({ predecessor }).where('id', '=', keyId).execute()
}

/** Whether another key has replaced it. */
export async function hasSuccessor(db: Db, keyId: string): Promise<boolean> {
  const row = await db.selectFrom('api_keys').select('id').where('predecessor', '=', keyId).limit(1).executeTakeFirst()
  return row !== undefined
}

const PREDECESSORS_MAX = 1_000

/** A key and the keys it replaced, newest first. */
export async function listPredecessors(
  db: Db,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<string[]> {
  const ids = [keyId]
  while (ids.length < PREDECESSORS_MAX) {
    const row = await db
      .selectFrom('api_keys')
      .select('predecessor')
      .where('id', '=', ids.at(-1)!)
      .where('account_id', '=', accountId)
      .executeTakeFirst()
    if (!row || row.predecessor === null || ids.includes(row.predecessor)) break
    ids.push(row.predecessor)
  }
  return ids
}
