/** A claim, stored before it is paid. Its block is the payment `faucet:<id>` of the treasury. */
export interface FaucetClaimsTable {
  id: string
  account_id: string
  address: string
  amount_raw: string
  /** The client's key of the request, so that a repeated request is the same claim. */
  idempotency_key: string | null
  created_at: number
}

export interface FaucetTables {
  faucet_claims: FaucetClaimsTable
}

/** Ordered so that every table comes after the tables that it refers to. */
export const FAUCET_TABLES = ['faucet_claims'] as const satisfies readonly (keyof FaucetTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends FaucetTables {}
}
