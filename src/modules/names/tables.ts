/** A name that is or was leased. Whether it is theirs still is a question of the time. */
export interface UsernamesTable {
  /** In small letters. */
  name: string
  /** As its owner wrote it. */
  display: string
  /** The address that paid for it, and alone may extend or change it. */
  owner: string
  /** What it stands for. */
  address: string
  /** The account whose key asked for it. */
  account_id: string | null
  created_at: number
  expires_at: number
  /** Until then it is reserved for its owner. */
  grace_until: number
  /** JSON object. */
  profile: string
  /** Which notices of its end were sent. */
  told: number
  changed_at: number
  /** 1 where search engines may list its public page. */
  indexed: number
}

export interface NameTables {
  usernames: UsernamesTable
}

/** In an order in which references are already there. */
export const NAME_TABLES = ['usernames'] as const satisfies readonly (keyof NameTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends NameTables {}
}
