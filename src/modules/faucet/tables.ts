/** A gift of the faucet, written down before it is sent. The block is the payment `faucet:<id>` of the treasury. */
export interface FaucetClaimsTable {
  id: string
  account_id: string
  address: string
  amount_raw: string
  /** What the client calls its request, so that a repeated one is the same claim. */
  idempotency_key: string | null
  created_at: number
}

export interface FaucetTables {
  faucet_claims: FaucetClaimsTable
}

/** In an order in which references are already there. */
export const FAUCET_TABLES = ['faucet_claims'] as const satisfies readonly (keyof FaucetTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends FaucetTables {}
}
