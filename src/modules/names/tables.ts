/** A username that is or was leased; whether the lease is valid depends on the time. */
export interface UsernamesTable {
  /** In lower case. */
  name: string
  /** As its owner wrote it. */
  display: string
  /** The address that paid for it; only it may extend or change the lease. */
  owner: string
  /** The address that the name resolves to. */
  address: string
  /** The account whose key leased it. */
  account_id: string | null
  created_at: number
  expires_at: number
  /** Until then the name is reserved for its owner. */
  grace_until: number
  /** JSON object. */
  profile: string
  /** The last notice about its end that was sent. */
  told: number
  changed_at: number
  /** 1 where search engines may list its public page. */
  indexed: number
}

export interface NameTables {
  usernames: UsernamesTable
}

/** Ordered so that every table comes after the tables that it refers to. */
export const NAME_TABLES = ['usernames'] as const satisfies readonly (keyof NameTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends NameTables {}
}
