import type { SubscriptionsTable } from './subscriptions/store.ts'
import { encryptedIn } from '../../kernel/encrypted.ts'
import type { LinkColumns } from './payment-link.ts'

declare module '../../kernel/db.ts' {
  interface Tables {
    payment_links: PaymentLinksTable
    /** A checkout made from a link. */
    link_orders: {
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
    subscriptions: SubscriptionsTable
  }
}

/** Its other columns are declared with the resource. */
export interface PaymentLinksTable extends LinkColumns {
  fields: string
  deleted_at: number | null
}

/** Ordered so that every table comes after the tables that it refers to. */
export const LINK_TABLES = ['payment_links', 'link_orders', 'subscriptions'] as const

/** Binds an encrypted secret to its link, so that it cannot be decrypted for another one. */
export const secretContext = encryptedIn(
  { table: 'payment_links', columns: ['webhook_secret'], key: ['id'] },
  (id) => `payment link ${id}`,
)

export const LINK_ENCRYPTED = [secretContext]
