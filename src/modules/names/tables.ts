import type { UsernamesTable } from './name.ts'

export interface NameTables {
  usernames: UsernamesTable
}

/** Ordered so that every table comes after the tables that it refers to. */
export const NAME_TABLES = ['usernames'] as const satisfies readonly (keyof NameTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends NameTables {}
}
