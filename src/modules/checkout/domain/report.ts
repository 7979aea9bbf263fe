import { formatNano } from '../../../kernel/money.ts'
import { readCursor, readWhole, toCursor } from '../../../kernel/paging.ts'
import { type JsonObject, textOf } from '../../../kernel/shape.ts'
import { ADDITIONAL_STATUSES, type CheckoutStatus, type Marker, REFUND_MARKERS } from '../record.ts'
import { listPredecessors } from '../../accounts/index.ts'
import type { CheckoutContext } from '../context.ts'
import type { Filter, Revenue } from '../sums-store.ts'
import { badField } from '../errors.ts'
import { countByStatus, addRevenue, countRefunded, listCheckouts, sumRefunds, sumRevenue } from '../report-store.ts'
import { countMadeDays, listAccountTotals, sumRevenueDays } from '../sums-store.ts'
import { ownCheckout } from '../views.ts'
import { ANONYMOUS, type Checkout } from '../record.ts'
import { formatFiat } from './fiat.ts'
import { readEnd, readMoment, readPeriod } from './period.ts'
import { asOrdered, listBeside } from './show.ts'

const DAY = 86_400_000
const LIMIT_DEFAULT = 25
export const LIMIT_MAX = 100
const SERIES_DAYS = 30
const ROWS_DEFAULT = 100
const ROWS_MAX = 1_000
const METADATA_PAIRS_MAX = 5
const ACCOUNTS_MAX = 1_000
const STATUSES: readonly CheckoutStatus[] = ['pending', 'detected', 'partial', 'complete', 'expired', 'cancelled']
const SYNONYMS = new Set(['paid', 'confirmed', 'completed'])

const isMissing = (value: unknown) => value === undefined || value === null || value === ''

type Fields = Readonly<Record<string, unknown>>

/** Reads a status filter (contract 3, rule 6), which may also name a refund marker. */
export function readStatus(value: unknown): Pick<Filter, 'status' | 'additional'> {
  if (isMissing(value) || value === 'all') return {}
  if (typeof value === 'string' && SYNONYMS.has(value)) return { status: 'complete' }
  const status = STATUSES.find((one) => one === value)
  const additional = REFUND_MARKERS.find((one) => one === value)
  if (status === undefined && additional === undefined) {
    throw badField('status', `status must be one of ${[...STATUSES, ...REFUND_MARKERS].join(', ')}.`)
  }
  return { status, additional }
}

/** Reads an `additional_status` filter. */
export function readMarker(field: string, value: unknown): Marker | undefined {
  if (isMissing(value)) return undefined
  const markers = [...ADDITIONAL_STATUSES, ...REFUND_MARKERS]
  const known = markers.find((one) => one === value)
  if (known === undefined) throw badField(field, `${field} must be one of ${markers.join(', ')}.`)
  return known
}

/** Reads both filters of lists and reports. */
function readStanding(fields: Fields): Pick<Filter, 'status' | 'additional'> {
  const { status, additional } = readStatus(fields.status)
  return { status, additional: readMarker('additional_status', fields.additional_status) ?? additional }
}

/** A page of the checkouts of an account, or of all accounts, newest first. */
export async function listOwn(ctx: CheckoutContext, query: Fields, owner: string | undefined): Promise<JsonObject> {
  const { db, ports } = ctx
  const limit = readWhole('limit', query.limit, { min: 1, max: LIMIT_MAX, otherwise: LIMIT_DEFAULT })
  const offset = readWhole('offset', query.offset, { min: 0, max: 1_000_000, otherwise: 0 })
  const filter = { owner, ...readStanding(query) }
  const after = readCursor(query.cursor)
  const checkouts = await listCheckouts(db, ports.engine, filter, { limit, offset: after ? 0 : offset, after })
  const counts = await countByStatus(db, ports.engine, filter)
  const last = checkouts.length === limit ? checkouts.at(-1) : undefined
  const refunds = await listBeside(ctx, checkouts)
  const show = async (one: Checkout) => ({
    ...ownCheckout.show((await asOrdered(ctx, one)).checkout, ports),
    ...refunds.get(one.id),
  })
  return {
    checkouts: await Promise.all(checkouts.map(show)),
    total: counts.reduce((sum, { count }) => sum + count, 0),
    limit,
    offset,
    next_cursor: last ? toCursor(last) : null,
  }
}

/**
 * What the checkouts of a key came to in a period, with those of the keys that it replaced (contract 4.3). The other checkouts of the
 * account are counted, so that none is missing from the answer unnoticed.
 */
export async function reportCheckouts(
  ctx: CheckoutContext,
  { accountId, keyId }: { accountId: string; keyId: string },
  fields: Fields,
): Promise<JsonObject> {
  const { db, ports, clock } = ctx
  const keyIds = await listPredecessors(db, { accountId, keyId })
  const period = isMissing(fields.query) ? undefined : readPeriod(fields.query, clock.now())
  const filter: Filter = {
    keyIds,
    ...readStanding(fields),
    from: isMissing(fields.from) ? period?.from : readMoment('from', fields.from),
    to: isMissing(fields.to) ? period?.to : readEnd('to', fields.to),
    metadata: readMetadataFilter(fields),
    includeHidden: true,
  }
  const limit = readLimit(fields.limit)
  const [checkouts, counts, revenue] = [
    await listCheckouts(db, ports.engine, filter, { limit: limit + 1 }),
    await countByStatus(db, ports.engine, filter),
    await sumRevenue(db, ports.engine, filter),
  ]
  const refunded = await sumRefunds(db, ports.engine, filter)
  const listed = checkouts.slice(0, limit)
  const refunds = await listBeside(ctx, listed)
  const { keyIds: otherKeyIds, ...rest } = filter
  const others = await countByStatus(db, ports.engine, { ...rest, owner: accountId, otherKeyIds })
  return {
    period: { query: typeof fields.query === 'string' ? fields.query : null, ...showPeriod(filter) },
    summary: summarize(counts, await countRefunded(db, ports.engine, filter)),
    revenue: showNet(revenue, refunded),
    excluded: others.reduce((sum, { count }) => sum + count, 0),
    checkouts: listed.map((checkout) => ({ ...ownCheckout.show(checkout, ports), ...refunds.get(checkout.id) })),
    limit,
    has_more: checkouts.length > limit,
  }
}

interface StatsDay {
  /** For example 2026-11-15, in UTC. */
  date: string
  /** Checkouts paid on this day, whenever they were made. */
  count: number
  raw: bigint
  revenue: Revenue[]
  /** Checkouts made on this day, and how many of these are complete by now. */
  made: number
  completed: number
}

export interface Stats {
  counts: Awaited<ReturnType<typeof countByStatus>>
  back: Awaited<ReturnType<typeof countRefunded>>
  revenue: Revenue[]
  /** Refunds of these sales, by currency. */
  refunded: Revenue[]
  /** The last 30 days, oldest first. */
  days: StatsDay[]
}

/** Statistics of an account, in total and for each of the last 30 days; `owner` undefined is all accounts. */
export async function gatherStats({ db, ports, clock }: CheckoutContext, owner: string | undefined): Promise<Stats> {
  const filter: Filter = { owner, includeHidden: true }
  const counts = await countByStatus(db, ports.engine, filter)
  const firstDay = Math.floor(clock.now() / DAY) - SERIES_DAYS + 1
  const since = firstDay * DAY
  const paid = await sumRevenueDays(db, ports.engine, { owner, since })
  const made = await countMadeDays(db, { owner, since })
  const days = Array.from({ length: SERIES_DAYS }, (_, at): StatsDay => {
    const revenue = paid.filter(({ day }) => day === firstDay + at)
    const opened = made.find(({ day }) => day === firstDay + at)
    return {
      date: new Date((firstDay + at) * DAY).toISOString().slice(0, 10),
      count: revenue.reduce((sum, { count }) => sum + count, 0),
      raw: revenue.reduce((sum, one) => sum + one.raw, 0n),
      revenue,
      made: opened?.made ?? 0,
      completed: opened?.completed ?? 0,
    }
  })
  const back = await countRefunded(db, ports.engine, filter)
  const refunded = await sumRefunds(db, ports.engine, filter)
  const revenue = await sumRevenue(db, ports.engine, filter)
  if (owner !== undefined) return { counts, back, revenue, refunded, days }
  // All accounts include the service itself, whose refunds the selling module records.
  const { count, raw } = await ports.sales.sumReturned(db, ports.engine)
  const all = { counts, back: { ...back, refunded: back.refunded + count }, revenue, days }
  return { ...all, refunded: addRevenue([...refunded, { currency: 'NANO', count, raw, e8: 0n }]) }
}

/** The statistics as the REST interface returns them. */
export async function readStats(ctx: CheckoutContext, owner: string | undefined): Promise<JsonObject> {
  const { counts, back, revenue, refunded, days } = await gatherStats(ctx, owner)
  const series = days.map((day): JsonObject => ({
    date: day.date,
    count: day.count,
    amount: formatNano(day.raw),
    amount_raw: day.raw.toString(),
    revenue: showRevenue(day.revenue),
  }))
  return { ...summarize(counts, back), revenue: showNet(revenue, refunded), series }
}

export async function readOverview(ctx: CheckoutContext): Promise<JsonObject> {
  const totals = await listAccountTotals(ctx.db, ctx.ports.engine, ACCOUNTS_MAX)
  return {
    ...(await readStats(ctx, undefined)),
    accounts: totals.map(({ owner, total, complete, raw }) => ({
      account: owner === ANONYMOUS ? null : owner,
      total,
      complete,
      amount: formatNano(raw),
      amount_raw: raw.toString(),
    })),
  }
}

function summarize(
  counts: readonly { status: CheckoutStatus; count: number }[],
  back: { refunded: number; partly_refunded: number },
): JsonObject {
  const byStatus = Object.fromEntries(
    STATUSES.map((status) => [status, counts.find((one) => one.status === status)?.count ?? 0]),
  )
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const isAny = back.refunded + back.partly_refunded > 0
  return { total, by_status: byStatus, ...(isAny && { by_additional_status: back }) }
}

/** Gross, refunded and net. `amount` keeps its old meaning, the gross amount. */
function showNet(revenue: readonly Revenue[], refunded: readonly Revenue[]): JsonObject {
  return Object.fromEntries(
    revenue.map((gross) => {
      const { currency, count, raw, e8 } = gross
      const back = refunded.find((one) => one.currency === currency) ?? { raw: 0n, e8: 0n }
      const show = (sum: { raw: bigint; e8: bigint }) =>
        currency === 'NANO' ? formatNano(sum.raw) : formatFiat(sum.e8)
      const net = { raw: raw - back.raw, e8: e8 - back.e8 }
      return [
        currency,
        {
          count,
          amount: show(gross),
          amount_raw: raw.toString(),
          gross: show(gross),
          refunded: show(back),
          refunded_raw: back.raw.toString(),
          net: show(net),
          net_raw: net.raw.toString(),
        },
      ]
    }),
  )
}

function showRevenue(revenue: readonly Revenue[]): JsonObject {
  return Object.fromEntries(
    revenue.map(({ currency, count, raw, e8 }) => [
      currency,
      { count, amount: currency === 'NANO' ? formatNano(raw) : formatFiat(e8), amount_raw: raw.toString() },
    ]),
  )
}

function showPeriod({ from, to }: Filter): JsonObject {
  const show = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
  return { from: show(from), to: show(to) }
}

function readLimit(value: unknown): number {
  if (value === undefined || value === null || value === '') return ROWS_DEFAULT
  const limit = typeof value === 'string' && /^[0-9]{1,5}$/.test(value) ? Number(value) : value
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > ROWS_MAX) {
    throw badField('limit', `limit must be a whole number from 1 to ${ROWS_MAX}.`)
  }
  return limit
}

function readMetadataFilter(fields: Fields): [string, string][] {
  const { metadata_filter: filter, metadata_key: key, metadata_value: value } = fields
  const pairs: [string, unknown][] = []
  if (filter !== undefined && filter !== null) {
    if (typeof filter !== 'object' || Array.isArray(filter)) {
      throw badField('metadata_filter', 'metadata_filter must be an object.')
    }
    pairs.push(...Object.entries(filter))
  }
  if (!isMissing(key) || !isMissing(value)) {
    if (typeof key !== 'string' || key === '' || value === undefined || value === null) {
      throw badField('metadata_key', 'metadata_key and metadata_value go together.')
    }
    pairs.push([key, value])
  }
  if (pairs.length > METADATA_PAIRS_MAX) {
    throw badField('metadata_filter', `At most ${METADATA_PAIRS_MAX} members can be compared.`)
  }
  return pairs.map(([name, member]) => {
    const isScalar = ['string', 'number', 'boolean'].includes(typeof member)
    // The name becomes part of the SQL statement, so it may only contain characters that need no quoting.
    if (!isScalar || !/^[\w .:-]{1,100}$/u.test(name)) {
      throw badField('metadata_filter', 'Only top-level members with plain names and values can be compared.')
    }
    return [name, textOf(member)]
  })
}
