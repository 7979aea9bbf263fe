import type { PosSalesTable } from './sales-store.ts'
import { encryptedIn } from '../../kernel/encrypted.ts'
import type { PosColumns } from './point-of-sale.ts'

declare module '../../kernel/db.ts' {
  interface Tables {
    points_of_sale: PointsOfSaleTable
    pos_sales: PosSalesTable
    /** Attempts at a PIN by a device or a network address. */
    pos_pin_tries: {
      pos_id: string
      who: string
      /** Since the last pause. */
      tries: number
      /** Since the last right PIN. */
      wrong: number
      locked_until: number
    }
  }
}

/** Its columns are declared with the resource. */
export interface PointsOfSaleTable extends PosColumns {
  deleted_at: number | null
}

/** Ordered so that every table comes after the tables that it refers to. */
export const POS_TABLES = ['points_of_sale', 'pos_sales', 'pos_pin_tries'] as const

export const tokenContext = encryptedIn(
  { table: 'points_of_sale', columns: ['token'], key: ['id'] },
  (id) => `point of sale ${id}`,
)

export const POS_ENCRYPTED = [tokenContext]
