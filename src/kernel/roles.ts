import type { Scope } from './scopes.ts'

/** What somebody is in an account. */
export const ROLES = ['owner', 'manager', 'developer', 'cashier', 'reader'] as const

export type Role = (typeof ROLES)[number]

/** What people may be let do: the scopes of keys, and what no key is asked for. */
export type Permission = Scope | 'activity' | 'integration' | 'pos' | 'people' | 'owners' | 'administration'

/** Only to look, or to change as well. */
export type Degree = 'see' | 'all'

interface Row {
  /** What it is about, for the documents. */
  about: string
  may: Partial<Record<Role, Degree>>
}

const all = (...roles: Role[]): Row['may'] => Object.fromEntries(roles.map((role) => [role, 'all'] as const))
const see = (...roles: Role[]): Row['may'] => Object.fromEntries(roles.map((role) => [role, 'see'] as const))

/**
 * Who may do what in an account: the one table that the doors ask, that the dashboard shows by, and that the documents are made of.
 * A form, and a route that is no GET, needs `all` of its row.
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

/** Somebody who was invited and has not said yes is in no role, and may do nothing. */
export type MemberRole = Role | 'guest'

export function roleMay(role: MemberRole, permission: Permission, degree: Degree): boolean {
  if (role === 'guest') return false
  const has = PERMISSIONS[permission].may[role]
  return has === 'all' || has === degree
}
