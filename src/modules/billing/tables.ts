import type { ServicePaymentsTable } from './store.ts'
import type { ServiceOrdersTable } from './store.ts'

declare module '../../kernel/db.ts' {
  interface Tables {
    service_orders: ServiceOrdersTable
    service_payments: ServicePaymentsTable
  }
}

/** Ordered so that every table comes after the tables that it refers to. */
export const BILLING_TABLES = ['service_orders', 'service_payments'] as const
