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
  created_at: number
}

export interface LinkTables {
  payment_links: PaymentLinksTable
  link_orders: LinkOrdersTable
}

/** In an order in which references are already there. */
export const LINK_TABLES = ['payment_links', 'link_orders'] as const satisfies readonly (keyof LinkTables)[]
