import type { FaucetClaimsTable } from './store.ts'

declare module '../../kernel/db.ts' {
  interface Tables {
    faucet_claims: FaucetClaimsTable
  }
}

/** Ordered so that every table comes after the tables that it refers to. */
export const FAUCET_TABLES = ['faucet_claims'] as const
