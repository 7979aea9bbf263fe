/** An offer that can be taken many times: each visitor gets a checkout of their own. */
export interface PaymentLinksTable {
  id: string
  owner: string
  /** In small letters; no other link ever gets it. */
  slug: string
  /** 1 while its merchant takes no orders. */
  paused: number
  /** JSON object: the fields of `checkout` that each order begins with. */
  fields: string
  /** Sealed. */
  webhook_secret: string | null
  quantity_min: number
  quantity_max: number
  /** JSON list of amounts that a donor may choose from. */
  suggested: string
  sold_max: number | null
  ends_at: number | null
  /** `month`, `year` or days, where it is paid for again and again. */
  every: string | null
  /** Days after the end of a period before a subscription lapses. */
  grace_days: number
  /** Pieces in open checkouts, and in paid ones. Changed with them, in their transactions. */
  held: number
  sold: number
  /** Paid checkouts, and what they brought. */
  orders: number
  revenue_raw: string
  /** The prices of those in money of a state, in 10^-8. */
  revenue_e8: string
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** A checkout that was made from a link. */
export interface LinkOrdersTable {
  checkout_id: string
  link_id: string
  /** A fingerprint of one page and what was chosen on it, so that it counts once; none once its checkout has ended. */
  visit: string | null
  /** A fingerprint of whose share it takes. */
  visitor: string
  quantity: number
  /** The subscription that it pays for, where it is for one. */
  subscription_id: string | null
  created_at: number
}

/** Who pays for a link again and again. */
export interface SubscriptionsTable {
  id: string
  link_id: string
  owner: string
  /** The payer's; none once it is forgotten. */
  email: string | null
  /** In which they are written to. */
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
  /** When the clock has something to do for it. */
  due_at: number | null
}

export interface LinkTables {
  payment_links: PaymentLinksTable
  link_orders: LinkOrdersTable
  subscriptions: SubscriptionsTable
}

/** In an order in which references are already there. */
export const LINK_TABLES = [
  'payment_links',
  'link_orders',
  'subscriptions',
] as const satisfies readonly (keyof LinkTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends LinkTables {}
}
