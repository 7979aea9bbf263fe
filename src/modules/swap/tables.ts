import type { SwapsTable } from './store.ts'

export interface SwapTables {
  swaps: SwapsTable
}

/** Ordered so that every table comes after the tables that it refers to. */
export const SWAP_TABLES = ['swaps'] as const satisfies readonly (keyof SwapTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends SwapTables {}
}
