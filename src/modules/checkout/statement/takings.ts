import { sql } from 'kysely'
import { dateAt } from '../../../kernel/calendar.ts'
import type { Db } from '../../../kernel/db.ts'
import { type StoreEngine, sumRaw } from '../../../kernel/dialect.ts'
import { sumsOf } from '../refunds/store.ts'
import type { Span } from './store.ts'

/** Midnight of every time zone is at a quarter of an hour. */
const QUARTER = 900_000

/** The takings in one currency, less refunds. `raw` is in nano, whatever the currency of the price. */
export interface Taking {
  /** The beginning of a quarter of an hour. */
  at: number
  currency: string
  sales: number
  refunds: number
  raw: bigint
  e8: bigint
}

/** Sales and refunds of a time by quarter of an hour, so that they can be added up to the days of any time zone. */
export async function listTakings(db: Db, engine: StoreEngine, { owner, from, to }: Span): Promise<Taking[]> {
  const soldAt = sql<number | string>`checkouts.paid_at / ${sql.lit(QUARTER)}`
  const sold = await db
    .selectFrom('checkouts')
    .where('owner', '=', owner)
    .where('status', '=', 'complete')
    .where('paid_at', '>=', from)
    .where('paid_at', '<', to)
    .select(({ fn }) => [soldAt.as('quarter'), 'currency', fn.countAll().as('count')])
    .select([sumRaw(engine, 'paid_raw').as('raw'), sumRaw(engine, 'price_e8').as('e8')])
    .groupBy([soldAt, 'currency'])
    .execute()
  const backAt = sql<number | string>`checkout_refunds.created_at / ${sql.lit(QUARTER)}`
  const back = await db
    .selectFrom('checkout_refunds')
    .innerJoin('checkouts', 'checkouts.id', 'checkout_refunds.checkout_id')
    .where('checkouts.status', '=', 'complete')
    .where('checkout_refunds.owner', '=', owner)
    .where('checkout_refunds.status', '<>', 'failed')
    .where('checkout_refunds.created_at', '>=', from)
    .where('checkout_refunds.created_at', '<', to)
    .select(({ fn }) => [backAt.as('quarter'), 'checkout_refunds.currency', fn.countAll().as('count')])
    .select(sumsOf(engine))
    .groupBy([backAt, 'checkout_refunds.currency'])
    .execute()
  return [
    ...sold.map((row) => ({ ...toTaking(row), sales: Number(row.count), raw: BigInt(row.raw), e8: BigInt(row.e8) })),
    ...back.map((row) => ({
      ...toTaking(row),
      refunds: Number(row.count),
      raw: -BigInt(row.raw),
      e8: -BigInt(row.e8),
    })),
  ]
}

const toTaking = ({ quarter, currency }: { quarter: number | string; currency: string }) => ({
  at: Number(quarter) * QUARTER,
  currency,
  sales: 0,
  refunds: 0,
})

export interface Takings {
  sales: number
  refunds: number
  /** In the currency of the shop: raw units where that is nano, otherwise units of 10^-8. */
  value: bigint
  /** Everything in nano, whatever the prices were in. */
  raw: bigint
  /** Sales priced in other currencies, which the value leaves out. */
  others: number
}

/** The sum, in the currency of the shop. */
export function addTakings(takings: readonly Taking[], currency: string): Takings {
  const sum: Takings = { sales: 0, refunds: 0, value: 0n, raw: 0n, others: 0 }
  for (const { sales, refunds, raw, e8, currency: its } of takings) {
    sum.sales += sales
    sum.refunds += refunds
    sum.raw += raw
    if (currency === 'NANO') sum.value += raw
    else if (its === currency) sum.value += e8
    else sum.others += sales
  }
  return sum
}

/** The dates so many days up to a date, the oldest first. */
export function datesUntil(today: string, days: number): string[] {
  const last = Date.parse(today)
  return Array.from({ length: days }, (_, at) =>
    new Date(last - (days - 1 - at) * 86_400_000).toISOString().slice(0, 10),
  )
}

/** Takings by date in a time zone. */
export function byDate(takings: readonly Taking[], zone: string): Map<string, Taking[]> {
  const days = new Map<string, Taking[]>()
  const known = new Map<number, string>()
  for (const taking of takings) {
    const date = known.get(taking.at) ?? dateAt(zone, taking.at)
    known.set(taking.at, date)
    days.set(date, [...(days.get(date) ?? []), taking])
  }
  return days
}
