import type { FaucetClaimsTable } from './store.ts'
export interface FaucetTables {
  faucet_claims: FaucetClaimsTable
}

/** Ordered so that every table comes after the tables that it refers to. */
export const FAUCET_TABLES = ['faucet_claims'] as const satisfies readonly (keyof FaucetTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends FaucetTables {}
}
