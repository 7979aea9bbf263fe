import { badField } from '../../../kernel/errors.ts'
import type { PosContext } from '../context.ts'
import { type ListedSale, type SalesTotals, listSales, sumSales } from '../sales-store.ts'
import type { PointOfSale } from '../point-of-sale.ts'
import { dateAt, dayOf, isDate } from '../../../kernel/calendar.ts'

const SALES_SHOWN = 200

export interface PosDay {
  date: string
  totals: SalesTotals
  /** Newest first; the totals include sales beyond the length of this list. */
  sales: ListedSale[]
}

/** The sales of a day in the shop's time zone: a sale belongs to the day on which it was made, whenever it is paid. */
export async function readDay({ checkouts }: PosContext, pos: PointOfSale, wanted?: string): Promise<PosDay> {
  const { db, clock, ports } = checkouts
  const date = wanted ?? dateAt(pos.timeZone, clock.now())
  if (!isDate(date)) throw badField('date', 'date must be a day, such as 2027-01-31.')
  const span = { posId: pos.id, ...dayOf(pos.timeZone, date) }
  return { date, totals: await sumSales(db, ports.engine, span), sales: await listSales(db, span, SALES_SHOWN) }
}
