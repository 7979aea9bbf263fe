/** What one of the service's own checkouts sells. */
export interface ServiceOrdersTable {
  checkout_id: string
  kind: string
  /** What it is about: a name, an account, an email address. */
  subject: string
  account_id: string | null
  /** JSON object: what is given for each plan. */
  detail: string
  created_at: number
}

/** What became of money that was paid for an order, one row for each block. */
export interface ServicePaymentsTable {
  block_hash: string
  checkout_id: string | null
  kind: string
  subject: string
  account_id: string | null
  payer: string
  amount_raw: string
  /** Held is money that goes back once its payer or an operator has said where to; unauthorized waits for the word of an owner. */
  outcome: 'applied' | 'refunded' | 'held' | 'unauthorized'
  /** Why it was not applied. */
  reason: string | null
  /** What was given, for people to read. */
  what: string | null
  created_at: number
}

export interface BillingTables {
  service_orders: ServiceOrdersTable
  service_payments: ServicePaymentsTable
}

/** In an order in which references are already there. */
export const BILLING_TABLES = ['service_orders', 'service_payments'] as const satisfies readonly (keyof BillingTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends BillingTables {}
}
