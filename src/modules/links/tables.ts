import type { SubscriptionsTable } from './subscriptions/store.ts'
import { encryptedIn } from '../../kernel/encrypted.ts'
import type { LinkColumns } from './payment-link.ts'

/** Its other columns are declared with the resource. */
export interface PaymentLinksTable extends LinkColumns {
  fields: string
  deleted_at: number | null
}

/** A checkout made from a link. */
export interface LinkOrdersTable {
  checkout_id: string
  link_id: string
  /** A fingerprint of a page and the choice on it, so that it counts once; null once its checkout has ended. */
  visit: string | null
  /** A fingerprint of the visitor, to whom limits apply. */
  visitor: string
  quantity: number
  /** The subscription it pays for, if any. */
  subscription_id: string | null
  created_at: number
}

export interface LinkTables {
  payment_links: PaymentLinksTable
  link_orders: LinkOrdersTable
  subscriptions: SubscriptionsTable
}

/** Ordered so that every table comes after the tables that it refers to. */
export const LINK_TABLES = [
  'payment_links',
  'link_orders',
  'subscriptions',
] as const satisfies readonly (keyof LinkTables)[]

/** Binds an encrypted secret to its link, so that it cannot be decrypted for another one. */
export const secretContext = encryptedIn(
  { table: 'payment_links', columns: ['webhook_secret'], key: ['id'] },
  (id) => `payment link ${id}`,
)

export const LINK_ENCRYPTED = [secretContext]

declare module '../../kernel/db.ts' {
  interface Tables extends LinkTables {}
}
