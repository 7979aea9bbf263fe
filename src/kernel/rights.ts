import { AppError } from './errors.ts'
import type { Raw } from './money.ts'

/** What a secret key may be allowed to do. Actions and routes name the scope that they need; a test compares this list with the guide. */
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

/** What people may be allowed to do: the scopes of keys, and permissions that keys do not have. */
export type Permission = Scope | 'activity' | 'integration' | 'pos' | 'people' | 'owners' | 'administration'

/** `see` is only to look, `all` is to change as well. */
export type Degree = 'see' | 'all'

interface Row {
  /** What it is about, for the documents. */
  about: string
  may: Partial<Record<Role, Degree>>
}

const all = (...roles: Role[]): Row['may'] => Object.fromEntries(roles.map((role) => [role, 'all'] as const))
const see = (...roles: Role[]): Row['may'] => Object.fromEntries(roles.map((role) => [role, 'see'] as const))

/**
 * Who may do what in an account: the one table that routes check, from which the dashboard decides what to show, and from which the
 * documents are made. A form, and a route other than GET, needs `all` of its row.
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

/** A guest was invited and has not accepted yet: they have no role and may do nothing. */
export type MemberRole = Role | 'guest'

export function roleMay(role: MemberRole, permission: Permission, degree: Degree): boolean {
  if (role === 'guest') return false
  const has = PERMISSIONS[permission].may[role]
  return has === 'all' || has === degree
}

/** With these scopes the store is asked for the key's rights each time, because the notice that another gateway revoked them may be late. */
const AT_ONCE: ReadonlySet<Scope> = new Set(['wallets:send', 'email', 'refunds', 'keys'])

export const isInForceAtOnce = (scope: Scope): boolean => AT_ONCE.has(scope)

const MONEY: ReadonlySet<Scope> = new Set(['wallets:send', 'refunds'])

/** Whether what needs this scope sends money of a wallet. */
export const movesMoney = (scope: Scope): boolean => MONEY.has(scope)

/** Limits that a key was made with. A key made by such a key inherits them: both are counted together under the same id. */
export interface KeyLimits {
  /** The first key of a series of rotated ones. */
  id: string
  perMinute: number | undefined
  /** By day in UTC. */
  spendDaily: Raw | undefined
}

/** What a public key is restricted to: checkouts for this address, or from this template. */
export interface KeyBinding {
  addresses: readonly string[]
  templates: readonly string[]
}

/** The kind of public key that made a checkout; with an unbound one anybody can make any checkout. */
export type MadeWith = 'public_key' | 'bound_key'

/** How a key is restricted, compared with its account. */
export interface KeyRights {
  /** Undefined means everything, including scopes that will be added later. */
  scopes: readonly Scope[] | undefined
  /** Its own, and those of the keys it was made with. All of them apply. */
  limits: readonly KeyLimits[]
  /** The current role of the person who made it; undefined where the whole account did. `scopes` are cut to it already. */
  makerRole?: MemberRole | undefined
  /** Set for a bound public key. */
  boundTo?: KeyBinding | undefined
}

/**
 * The most scopes of a key made by a person of this role; undefined means everything. Only managers and owners make keys that can make
 * keys, and in an administrator's account only owners do.
 */
export function scopesOfRole(role: MemberRole, isAdministrators: boolean): readonly Scope[] | undefined {
  if (roleMay(role, 'administration', 'all')) return undefined
  const mayMakeKeys = !isAdministrators && roleMay(role, 'people', 'all')
  return SCOPES.filter((scope) => roleMay(role, scope, 'all') && (scope !== 'keys' || mayMakeKeys))
}

interface Bound {
  rights?: KeyRights | undefined
  /** The role of the person who is signed in; undefined for a key, and for a person who signed in with one. */
  memberRole?: MemberRole | undefined
}

/** Whether a caller has a scope. Without a restriction by key or role, a caller has all. */
export const hasScope = ({ rights, memberRole }: Bound, scope: Scope): boolean =>
  memberRole === undefined ? (rights?.scopes?.includes(scope) ?? true) : roleMay(memberRole, scope, 'all')

export function requireScope(caller: Bound, scope: Scope): void {
  if (!hasScope(caller, scope)) throw missingScope(scope)
}

/** For what has no scope of its own, such as the pages of the dashboard: they show and change everything. */
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

/** The scope that a key lacks. A permission without a scope needs all of them; a key that changes people could remove limits, too. */
function missingOf(caller: Bound, permission: Permission): Scope | undefined {
  const needed = SCOPES.filter((scope) => scope === permission)
  const missing = (needed.length > 0 ? needed : SCOPES).find((scope) => !hasScope(caller, scope))
  if (missing !== undefined) return missing
  const { limits, makerRole } = caller.rights ?? {}
  const changesPeople = permission === 'people' || permission === 'owners'
  const isBeyondMaker = makerRole !== undefined && !roleMay(makerRole, permission, 'all')
  return (changesPeople && limits?.length) || isBeyondMaker ? 'keys' : undefined
}

/** For what would lift the restrictions of a key, such as the links that sign people in. */
export function requireUnbound(caller: Bound): void {
  requireEveryScope(caller)
  if (caller.rights?.limits.length) throw missingScope('keys')
}

const missingScope = (scope: Scope) =>
  new AppError('missing_scope', `This key has no scope ${scope}.`, { body: { scope } })

/** Limits of one account instead of those of its plan; 0 means no limit. */
export interface AccountPlan {
  perMinute?: number
  concurrencyMax?: number
}
