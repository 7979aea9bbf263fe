import type { X402PaymentsTable } from './store.ts'

/** Recently offered terms, so that a change of price does not break a payment in progress. */
interface X402OffersTable {
  action: string
  pay_to: string
  amount_raw: string
  expires_at: number
}

export interface X402Tables {
  x402_payments: X402PaymentsTable
  x402_offers: X402OffersTable
}

/** Ordered so that every table comes after the tables that it refers to. */
export const X402_TABLES = ['x402_payments', 'x402_offers'] as const satisfies readonly (keyof X402Tables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends X402Tables {}
}
