import type { Migrations } from '../../../kernel/migration.ts'
import { up as checkouts } from './0008-checkouts.ts'
import { up as checkoutLooks } from './0020-checkout-looks.ts'

export const CHECKOUT_MIGRATIONS: Migrations = {
  '0008-checkouts': checkouts,
  '0020-checkout-looks': checkoutLooks,
}
