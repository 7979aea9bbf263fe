/** A place where a cashier asks for payments: what is sold there, and who may ask. */
export interface PointsOfSaleTable {
  id: string
  owner: string
  title: string
  /** What its prices are in. */
  currency: string
  /** Where the money goes. */
  address: string
  /** JSON list of what can be chosen: title and price. */
  items: string
  /** JSON list of percents. */
  tips: string
  /** Whose midnight ends a day, as in `Europe/Berlin`. */
  time_zone: string
  /** 1 while it takes no sales. */
  paused: number
  /** What its link carries: sealed, and as a fingerprint to compare with. */
  token: string
  token_mark: string
  /** A fingerprint with the service's key; null where no PIN is asked for. */
  pin_mark: string | null
  /** Wrong PINs of devices that never had it right, since it was set. */
  wrong_pins: number
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** A checkout that a cashier has made. */
export interface PosSalesTable {
  checkout_id: string
  pos_id: string
  /** What the page calls one tap: sent twice, it counts once. */
  sale_key: string
  /** Its price with the tip, and the tip in it: raw, or 10^-8 of the currency. */
  total_units: string
  tip_units: string
  created_at: number
}

/** How often a device, or an address of the network, has tried a PIN. */
export interface PosPinTriesTable {
  pos_id: string
  who: string
  /** Since the last pause. */
  tries: number
  /** In all, since it was last right. */
  wrong: number
  locked_until: number
}

export interface PosTables {
  points_of_sale: PointsOfSaleTable
  pos_sales: PosSalesTable
  pos_pin_tries: PosPinTriesTable
}

/** In an order in which references are already there. */
export const POS_TABLES = [
  'points_of_sale',
  'pos_sales',
  'pos_pin_tries',
] as const satisfies readonly (keyof PosTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends PosTables {}
}
