import type { SwapsTable } from './store.ts'

declare module '../../kernel/db.ts' {
  interface Tables {
    swaps: SwapsTable
  }
}

/** Ordered so that every table comes after the tables that it refers to. */
export const SWAP_TABLES = ['swaps'] as const
