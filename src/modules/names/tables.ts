import type { UsernamesTable } from './name.ts'

declare module '../../kernel/db.ts' {
  interface Tables {
    usernames: UsernamesTable
  }
}

/** Ordered so that every table comes after the tables that it refers to. */
export const NAME_TABLES = ['usernames'] as const
