import { AppError } from './errors.ts'
import type { Raw } from './money.ts'

/**
 * What a secret key can be allowed to do. Actions and routes name the scope that they require; a test compares this
 * list with the guide.
 */
export const SCOPES = [
  'read',
  'work',
  'checkout',
  'wallets:read',
  'wallets:send',
  'names',
  'email',
  'reports',
  'webhooks',
  'refunds',
  'keys',
] as const

export type Scope = (typeof SCOPES)[number]

/** The roles of people in an account. */
export const ROLES = ['owner', 'manager', 'developer', 'cashier', 'reader'] as const

export type Role = (typeof ROLES)[number]

/** What people can be allowed to do: the scopes of keys, and permissions that only people have. */
export type Permission = Scope | 'activity' | 'integration' | 'pos' | 'people' | 'owners' | 'administration'

/** `see` is only to look; `all` is also to change. */
export type Degree = 'see' | 'all'

interface Row {
  /** What the permission is about, for the documents. */
  about: string
  may: Partial<Record<Role, Degree>>
}

const all = (...roles: Role[]): Row['may'] => Object.fromEntries(roles.map((role) => [role, 'all'] as const))
const see = (...roles: Role[]): Row['may'] => Object.fromEntries(roles.map((role) => [role, 'see'] as const))

/**
 * Who may do what in an account. Routes check this table, the dashboard shows what it allows, and the documents are
 * made from it. A form, and a route other than GET, requires `all`.
 */
export const PERMISSIONS: Readonly<Record<Permission, Row>> = {
  read: { about: 'Ledger, prices and names', may: all('owner', 'manager', 'developer', 'reader') },
  work: { about: 'Proof of work', may: all('owner', 'manager', 'developer') },
  checkout: {
    about: 'Checkouts, payment links, the profile',
    may: { ...all('owner', 'manager'), ...see('developer', 'reader') },
  },
  'wallets:read': { about: 'Wallets and what they hold', may: all('owner', 'manager', 'developer', 'reader') },
  'wallets:send': { about: 'Make wallets, receive and send', may: all('owner', 'manager') },
  names: { about: 'Usernames', may: { ...all('owner', 'manager'), ...see('developer', 'reader') } },
  email: { about: 'Email payments', may: { ...all('owner', 'manager'), ...see('developer', 'reader') } },
  reports: {
    about: 'Overview, reports, exports, credits',
    may: { ...all('owner', 'manager'), ...see('developer', 'reader') },
  },
  webhooks: {
    about: 'Events, webhooks and their secret',
    may: { ...all('owner', 'manager', 'developer'), ...see('reader') },
  },
  refunds: { about: 'Refunds', may: all('owner', 'manager') },
  keys: { about: 'API keys', may: all('owner', 'manager', 'developer') },
  activity: { about: 'Who did what', may: all('owner', 'manager', 'developer', 'reader') },
  integration: { about: 'The panel for trying things out', may: all('owner', 'manager', 'developer') },
  pos: { about: 'Point of sale, and the sales of the day', may: all('owner', 'manager', 'cashier') },
  people: { about: 'Invite people, change their role, remove them', may: all('owner', 'manager') },
  owners: { about: 'The same for owners; hand the account over', may: all('owner') },
  administration: { about: 'What administrators of the service may, in their account', may: all('owner') },
}

/** A guest was invited but has not accepted: no role, no permission. */
export type MemberRole = Role | 'guest'

export function roleMay(role: MemberRole, permission: Permission, degree: Degree): boolean {
  if (role === 'guest') return false
  const has = PERMISSIONS[permission].may[role]
  return has === 'all' || has === degree
}

/**
 * For these scopes the key's rights are read from the store each time, because the notice that another gateway has
 * revoked them may be late.
 */
const AT_ONCE: ReadonlySet<Scope> = new Set(['wallets:send', 'email', 'refunds', 'keys'])

export const isInForceAtOnce = (scope: Scope): boolean => AT_ONCE.has(scope)

const MONEY: ReadonlySet<Scope> = new Set(['wallets:send', 'refunds'])

/** Whether operations with this scope send money of a wallet. */
export const movesMoney = (scope: Scope): boolean => MONEY.has(scope)

/**
 * Limits that a key was made with. A key that it makes inherits them, and both keys are counted together under the same
 * id.
 */
export interface KeyLimits {
  /** The id of the first key in a series of rotated keys. */
  id: string
  perMinute: number | undefined
  /** Per day in UTC. */
  spendDaily: Raw | undefined
}

/** The restriction of a public key: checkouts that pay this address, or from this template. */
export interface KeyBinding {
  addresses: readonly string[]
  templates: readonly string[]
}

/** The kind of public key that made a checkout. With an unbound key, anybody can make any checkout. */
export type MadeWith = 'public_key' | 'bound_key'

/** The restrictions of a key within its account. */
export interface KeyRights {
  /** Undefined for everything, including scopes added later. */
  scopes: readonly Scope[] | undefined
  /** Its own limits, and those of the keys it was made with; all of them apply. */
  limits: readonly KeyLimits[]
  /**
   * The current role of the person who made it; undefined if nobody in particular did. `scopes` already take the role
   * into account.
   */
  makerRole?: MemberRole | undefined
  /** Set if the public key is bound. */
  boundTo?: KeyBinding | undefined
}

/**
 * The most scopes that a key made by a person of this role can have; undefined for all. Only managers and owners can
 * make keys that make keys; in an administrator's account only owners can.
 */
export function scopesOfRole(role: MemberRole, isAdministrators: boolean): readonly Scope[] | undefined {
  if (roleMay(role, 'administration', 'all')) return undefined
  const mayMakeKeys = !isAdministrators && roleMay(role, 'people', 'all')
  return SCOPES.filter((scope) => roleMay(role, scope, 'all') && (scope !== 'keys' || mayMakeKeys))
}

interface Bound {
  rights?: KeyRights | undefined
  /** The role of the signed-in person; undefined for a key, and for a person who signed in with one. */
  memberRole?: MemberRole | undefined
}

/** Whether a caller has a scope. A caller that no key or role restricts has all. */
export const hasScope = ({ rights, memberRole }: Bound, scope: Scope): boolean =>
  memberRole === undefined ? (rights?.scopes?.includes(scope) ?? true) : roleMay(memberRole, scope, 'all')

export function requireScope(caller: Bound, scope: Scope): void {
  if (!hasScope(caller, scope)) throw missingScope(scope)
}

/** For operations without a scope of their own, such as pages of the dashboard, which show and change everything. */
export function requireEveryScope(caller: Bound): void {
  for (const scope of SCOPES) requireScope(caller, scope)
}

/** Whether a caller has a permission: people by their role, keys by their scopes. */
export function may(caller: Bound, permission: Permission, degree: Degree): boolean {
  if (caller.memberRole !== undefined) return roleMay(caller.memberRole, permission, degree)
  return missingOf(caller, permission) === undefined
}

export function requirePermission(caller: Bound, permission: Permission, degree: Degree): void {
  const { memberRole } = caller
  if (memberRole === undefined) {
    const missing = missingOf(caller, permission)
    if (missing !== undefined) throw missingScope(missing)
  } else if (!roleMay(memberRole, permission, degree)) {
    const text = memberRole === 'guest' ? 'Accept the invitation first.' : `As a ${memberRole} you cannot do this here.`
    throw new AppError('missing_scope', text, { body: { scope: permission, role: memberRole } })
  }
}

/**
 * The scope that a key lacks. A permission without a scope requires all scopes, because a key that changes people could
 * also remove limits.
 */
function missingOf(caller: Bound, permission: Permission): Scope | undefined {
  const needed = SCOPES.filter((scope) => scope === permission)
  const missing = (needed.length > 0 ? needed : SCOPES).find((scope) => !hasScope(caller, scope))
  if (missing !== undefined) return missing
  const { limits, makerRole } = caller.rights ?? {}
  const changesPeople = permission === 'people' || permission === 'owners'
  const isBeyondMaker = makerRole !== undefined && !roleMay(makerRole, permission, 'all')
  return (changesPeople && limits?.length) || isBeyondMaker ? 'keys' : undefined
}

/** For operations that would lift the restrictions of a key, such as links that sign people in. */
export function requireUnbound(caller: Bound): void {
  requireEveryScope(caller)
  if (caller.rights?.limits.length) throw missingScope('keys')
}

const missingScope = (scope: Scope) =>
  new AppError('missing_scope', `This key has no scope ${scope}.`, { body: { scope } })

/** Limits of one account, which replace those of its plan; 0 means no limit. */
export interface AccountPlan {
  perMinute?: number
  concurrencyMax?: number
}
