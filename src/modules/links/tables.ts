import { sealedIn } from '../../kernel/sealed.ts'
/** An offer for many buyers: each visitor gets a checkout of their own. */
export interface PaymentLinksTable {
  id: string
  owner: string
  /** In lower case; no other link ever gets it. */
  slug: string
  /** 1 while its merchant accepts no orders. */
  paused: number
  /** JSON object: the `checkout` fields with which each order begins. */
  fields: string
  /** Encrypted. */
  webhook_secret: string | null
  quantity_min: number
  quantity_max: number
  /** JSON list of suggested donations. */
  suggested: string
  sold_max: number | null
  ends_at: number | null
  /** `month`, `year` or a number of days for recurring payments. */
  every: string | null
  /** Days after the end of a period before a subscription lapses. */
  grace_days: number
  /** Pieces in open checkouts, and in paid ones; changed in the transactions of those checkouts. */
  held: number
  sold: number
  /** Paid checkouts, and their revenue. */
  orders: number
  revenue_raw: string
  /** The sum of their fiat prices, in 10^-8. */
  revenue_e8: string
  created_at: number
  updated_at: number
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

/** A subscriber of a link. */
export interface SubscriptionsTable {
  id: string
  link_id: string
  owner: string
  /** The payer's address; null once it was deleted. */
  email: string | null
  /** The language of its mails. */
  language: string
  plan: string | null
  every: string
  grace_days: number
  /** `pending` until its first payment. */
  status: 'pending' | 'active' | 'due' | 'lapsed' | 'ended'
  began_at: number | null
  periods: number
  paid_until: number | null
  checkout_id: string | null
  created_at: number
  ended_at: number | null
  /** When the job has something to do for it. */
  due_at: number | null
}

export interface LinkTables {
  payment_links: PaymentLinksTable
  link_orders: LinkOrdersTable
  subscriptions: SubscriptionsTable
}

/** In an order in which every reference exists already. */
export const LINK_TABLES = [
  'payment_links',
  'link_orders',
  'subscriptions',
] as const satisfies readonly (keyof LinkTables)[]

/** Binds an encrypted secret to its link, so that it cannot be decrypted for another one. */
export const secretContext = sealedIn(
  { table: 'payment_links', columns: ['webhook_secret'], key: ['id'] },
  (id) => `payment link ${id}`,
)

export const LINK_SEALED = [secretContext]

declare module '../../kernel/db.ts' {
  interface Tables extends LinkTables {}
}
