import type { PosColumns } from './point-of-sale.ts'

/** Declared where the noun is. */
export interface PointsOfSaleTable extends PosColumns {
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
