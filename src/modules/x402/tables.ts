import type { X402PaymentsTable } from './store.ts'

declare module '../../kernel/db.ts' {
  interface Tables {
    x402_payments: X402PaymentsTable
    /** Recently offered terms, so that a change of price does not break a payment in progress. */
    x402_offers: {
      action: string
      pay_to: string
      amount_raw: string
      expires_at: number
    }
  }
}

/** Ordered so that every table comes after the tables that it refers to. */
export const X402_TABLES = ['x402_payments', 'x402_offers'] as const
