import type { SwapStatus } from '../../kernel/swap.ts'

/** An exchange of one currency for another. Amounts are decimal texts in their own currency. */
export interface SwapsTable {
  id: string
  account_id: string | null
  provider: string
  /** The provider's id of it. */
  reference: string
  from_code: string
  to_code: string
  send: string
  receive: string
  address: string
  refund_address: string
  deposit_address: string
  status: SwapStatus
  created_at: number
  /** When the provider was last asked. */
  looked_at: number
  expires_at: number
}

export interface SwapTables {
  swaps: SwapsTable
}

/** Ordered so that every table comes after the tables that it refers to. */
export const SWAP_TABLES = ['swaps'] as const satisfies readonly (keyof SwapTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends SwapTables {}
}
