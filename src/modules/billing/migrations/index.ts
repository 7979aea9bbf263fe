import type { Migrations } from '../../../kernel/db.ts'
import { up as unauthorizedOrders } from './0021-unauthorized-orders.ts'

export const BILLING_MIGRATIONS: Migrations = {
  '0021-unauthorized-orders': unauthorizedOrders,
}
