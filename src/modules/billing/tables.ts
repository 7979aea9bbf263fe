/** What one of the service's own checkouts sells. */
export interface ServiceOrdersTable {
  checkout_id: string
  kind: string
  /** What it is about: a username, an account, or an email address. */
  subject: string
  account_id: string | null
  /** JSON object: what each plan delivers. */
  detail: string
  created_at: number
}

/** The outcome of money paid for an order, one row for each block. */
export interface ServicePaymentsTable {
  block_hash: string
  checkout_id: string | null
  kind: string
  subject: string
  account_id: string | null
  payer: string
  amount_raw: string
  /** Held money is returned once its payer or an operator has named a recipient; unauthorized money waits for an owner's approval. */
  outcome: 'applied' | 'refunded' | 'held' | 'unauthorized'
  /** Why nothing was delivered. */
  reason: string | null
  /** What was delivered, as text. */
  what: string | null
  created_at: number
}

export interface BillingTables {
  service_orders: ServiceOrdersTable
  service_payments: ServicePaymentsTable
}

/** Ordered so that every table comes after the tables that it refers to. */
export const BILLING_TABLES = ['service_orders', 'service_payments'] as const satisfies readonly (keyof BillingTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends BillingTables {}
}
