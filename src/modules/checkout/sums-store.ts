import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import { type StoreEngine, sumRaw } from '../../kernel/dialect.ts'
import type { Tables } from '../../kernel/db.ts'
import type { CheckoutMode, CheckoutStatus, Marker } from './record.ts'

/** Selects checkouts by owner, key, time and other properties. */
export interface Filter {
  /** Undefined means all accounts, which only administrators may ask for. */
  owner?: string | undefined
  /** Only checkouts made with one of these keys. */
  keyIds?: readonly string[] | undefined
  /** Only checkouts made with none of these keys. */
  otherKeyIds?: readonly string[] | undefined
  status?: CheckoutStatus | undefined
  additional?: Marker | undefined
  mode?: CheckoutMode | undefined
  currency?: string | undefined
  /** Matches the id, a part of the title or of the buyer, the invoice, the block or the payer. */
  text?: string | undefined
  from?: number | undefined
  to?: number | undefined
  /** Metadata members and the texts they must have. */
  metadata?: readonly (readonly [string, string])[]
  includeHidden?: boolean
  onlyHidden?: boolean
  /** Only checkouts of which a part was refunded. */
  isRefunded?: true | undefined
  hasInvoice?: true | undefined
}

export interface Revenue {
  currency: string
  count: number
  raw: bigint
  e8: bigint
}

const DAY = 86_400_000

/** The whole days of a filter, answered from the stored sums; the rest at both ends must be counted. */
interface Split {
  firstDay: number | undefined
  /** The first day after the whole days. */
  endDay: number | undefined
  ends: { from: number; to: number }[]
}

/** Undefined when the stored sums cannot answer a filter: they know only owner, key, day, status and currency. */
export function splitDays(filter: Filter): Split | undefined {
  const { additional, mode, currency, text, from, to, metadata = [], includeHidden = false } = filter
  const beyond = additional ?? mode ?? currency ?? text ?? filter.isRefunded ?? filter.hasInvoice
  if (beyond !== undefined || metadata.length > 0 || !includeHidden) return undefined
  const firstDay = from === undefined ? undefined : Math.ceil(from / DAY)
  const endDay = to === undefined ? undefined : Math.floor(to / DAY)
  if (firstDay !== undefined && endDay !== undefined && firstDay >= endDay) return undefined
  const ends: Split['ends'] = []
  if (from !== undefined && from < firstDay! * DAY) ends.push({ from, to: firstDay! * DAY })
  if (to !== undefined && to > endDay! * DAY) ends.push({ from: endDay! * DAY, to })
  return { firstDay, endDay, ends }
}

type Query<O> = SelectQueryBuilder<Tables, 'checkout_sums', O>

function where<O>(
  query: Query<O>,
  { owner, keyIds, otherKeyIds, status }: Filter,
  { firstDay, endDay }: Split,
): Query<O> {
  let found = query
  if (owner !== undefined) found = found.where('owner', '=', owner)
  if (keyIds !== undefined) found = found.where('key_id', 'in', [...keyIds])
  if (otherKeyIds !== undefined && otherKeyIds.length > 0) found = found.where('key_id', 'not in', [...otherKeyIds])
  if (status !== undefined) found = found.where('status', '=', status)
  if (firstDay !== undefined) found = found.where('day', '>=', firstDay)
  if (endDay !== undefined) found = found.where('day', '<', endDay)
  return found
}

const counted = sql<number | string>`sum(checkout_sums.count)`

export async function countSummed(
  db: Db,
  filter: Filter,
  split: Split,
): Promise<{ status: CheckoutStatus; count: number }[]> {
  const rows = await where(db.selectFrom('checkout_sums'), filter, split)
    .select(['status', counted.as('count')])
    .groupBy('status')
    .having(counted, '<>', 0)
    .execute()
  return rows.map(({ status, count }) => ({ status, count: Number(count) }))
}

interface SummedRow {
  currency: string
  count: number | string
  raw: string
  e8: string
}

const toRevenue = ({ currency, count, raw, e8 }: SummedRow): Revenue => ({
  currency,
  count: Number(count),
  raw: BigInt(raw),
  e8: BigInt(e8),
})

/** Revenue of complete checkouts on whole days, by currency. */
export async function sumSummed(db: Db, engine: StoreEngine, filter: Filter, split: Split): Promise<Revenue[]> {
  const rows = await where(db.selectFrom('checkout_sums'), filter, split)
    .where('status', '=', 'complete')
    .select(['currency', counted.as('count')])
    .select([sumRaw(engine, 'checkout_sums.raw').as('raw'), sumRaw(engine, 'checkout_sums.e8').as('e8')])
    .groupBy('currency')
    .having(counted, '<>', 0)
    .execute()
  return rows.map(toRevenue)
}

interface Since {
  owner: string | undefined
  since: number
  /** Exclusive. */
  until?: number
}

/** Revenue of each day on which something was paid or marked as paid. Days are whole days since 1970 in UTC. */
export async function sumRevenueDays(
  db: Db,
  engine: StoreEngine,
  { owner, since, until }: Since,
): Promise<(Revenue & { day: number })[]> {
  const count = sql<number | string>`sum(checkout_paid_sums.count)`
  let query = db.selectFrom('checkout_paid_sums').where('day', '>=', Math.floor(since / DAY))
  if (until !== undefined) query = query.where('day', '<', Math.floor(until / DAY))
  if (owner !== undefined) query = query.where('owner', '=', owner)
  const rows = await query
    .select(['day', 'currency', count.as('count')])
    .select([sumRaw(engine, 'checkout_paid_sums.raw').as('raw'), sumRaw(engine, 'checkout_paid_sums.e8').as('e8')])
    .groupBy(['day', 'currency'])
    .orderBy('day')
    .orderBy('currency')
    .execute()
  // A further payment for a sale of another day does not count as a sale of its own.
  return rows.map((row) => ({ day: row.day, ...toRevenue(row) })).filter(({ count, raw }) => count !== 0 || raw !== 0n)
}

/** How many checkouts were made on each day, and how many of these are complete by now. */
export async function countMadeDays(
  db: Db,
  { owner, since }: Since,
): Promise<{ day: number; made: number; completed: number }[]> {
  const completed = sql<number | string>`sum(case when status = 'complete' then checkout_sums.count else 0 end)`
  let query = db.selectFrom('checkout_sums').where('day', '>=', Math.floor(since / DAY))
  if (owner !== undefined) query = query.where('owner', '=', owner)
  const rows = await query
    .select(['day', counted.as('made'), completed.as('completed')])
    .groupBy('day')
    .having(counted, '<>', 0)
    .orderBy('day')
    .execute()
  return rows.map(({ day, made, completed }) => ({ day, made: Number(made), completed: Number(completed) }))
}

interface AccountTotal {
  owner: string
  total: number
  complete: number
  raw: bigint
}

/** The accounts with the most checkouts. */
export async function listAccountTotals(db: Db, engine: StoreEngine, limit: number): Promise<AccountTotal[]> {
  const each = db
    .selectFrom('checkout_sums')
    .select([
      'owner',
      'count',
      sql<number>`case when status = 'complete' then count else 0 end`.as('won'),
      sql<string | null>`case when status = 'complete' then raw end`.as('paid'),
    ])
  const total = sql<number | string>`sum(each.count)`
  const rows = await db
    .selectFrom(each.as('each'))
    .select(['each.owner', total.as('total'), sql<number | string>`sum(each.won)`.as('complete')])
    .select(sumRaw(engine, 'each.paid').as('raw'))
    .groupBy('each.owner')
    .having(total, '<>', 0)
    .orderBy('total', 'desc')
    .orderBy('each.owner')
    .limit(limit)
    .execute()
  return rows.map(({ owner, total, complete, raw }) => ({
    owner,
    total: Number(total),
    complete: Number(complete),
    raw: BigInt(raw),
  }))
}
