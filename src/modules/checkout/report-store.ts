import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { type StoreEngine, jsonMember, sumRaw } from '../../kernel/dialect.ts'
import { behind } from '../../kernel/paging.ts'
import { CHECKOUT_COLUMNS, type CheckoutStatus, type Marker } from './record.ts'
import type { Db } from '../../kernel/db.ts'
import type { Tables } from '../../kernel/db.ts'
import { type Payment, toPayment } from './payments-store.ts'
import { sumsOf } from './refunds/store.ts'
import { type Checkout, toCheckout } from './record.ts'
import { type Filter, type Revenue, countSummed, splitDays, sumSummed } from './sums-store.ts'

type Query<O> = SelectQueryBuilder<Tables, 'checkouts', O>

function where<O>(query: Query<O>, engine: StoreEngine, filter: Filter): Query<O> {
  const { owner, keyIds, otherKeyIds, status, additional, mode, currency, text } = filter
  const { from, to, metadata = [], includeHidden = false } = filter
  let found = query
  if (owner !== undefined) found = found.where('checkouts.owner', '=', owner)
  if (keyIds !== undefined) found = found.where('checkouts.key_id', 'in', [...keyIds])
  if (otherKeyIds !== undefined) {
    found = found.where(({ eb, or }) =>
      or([eb('checkouts.key_id', 'is', null), eb('checkouts.key_id', 'not in', [...otherKeyIds])]),
    )
  }
  if (status !== undefined) found = found.where('checkouts.status', '=', status)
  if (additional !== undefined) found = found.where((eb) => isMarked(eb, additional))
  if (mode !== undefined) found = found.where('checkouts.mode', '=', mode)
  if (currency !== undefined) found = found.where('checkouts.currency', '=', currency)
  if (text !== undefined) found = found.where((eb) => eb.or(anywhere(eb, text, owner)))
  if (from !== undefined) found = found.where('checkouts.created_at', '>=', from)
  if (to !== undefined) found = found.where('checkouts.created_at', '<', to)
  if (!includeHidden) found = found.where('checkouts.hidden_at', 'is', null)
  if (filter.onlyHidden) found = found.where('checkouts.hidden_at', 'is not', null)
  // Literals instead of parameters, so that the partial indexes of such rows are used.
  if (filter.isRefunded) found = found.where(sql<boolean>`checkouts.refunded_raw <> '0'`)
  if (filter.hasInvoice) found = found.where('checkouts.invoice', 'is not', null)
  for (const [key, value] of metadata) found = found.where(jsonMember(engine, 'checkouts.metadata', key), '=', value)
  return found
}

/** The SQL form of `markerOf`. */
function isMarked(eb: ExpressionBuilder<Tables, 'checkouts'>, marker: Marker) {
  if (marker !== 'refunded' && marker !== 'partly_refunded') {
    return eb.and([eb('checkouts.additional_status', '=', marker), eb('checkouts.refunded_raw', '=', '0')])
  }
  const isAll = eb('checkouts.refunded_raw', marker === 'refunded' ? '=' : '<>', eb.ref('checkouts.paid_raw'))
  // A literal instead of a parameter, so that the partial index of such rows is used.
  return eb.and([sql<boolean>`checkouts.refunded_raw <> '0'`, isAll])
}

/** Counts checkouts that were refunded, wholly or in part. */
export async function countRefunded(
  db: Db,
  engine: StoreEngine,
  filter: Filter,
): Promise<{ refunded: number; partly_refunded: number }> {
  const count = async (additional: Marker) =>
    Number(
      (
        await where(db.selectFrom('checkouts'), engine, { ...filter, additional })
          .select(({ fn }) => fn.countAll().as('count'))
          .executeTakeFirstOrThrow()
      ).count,
    )
  return { refunded: await count('refunded'), partly_refunded: await count('partly_refunded') }
}

const ofOwner = (owner: string | undefined) =>
  owner === undefined ? sql`1 = 1` : sql`checkout_buyers.owner = ${owner}`

function anywhere(eb: ExpressionBuilder<Tables, 'checkouts'>, text: string, owner: string | undefined) {
  const part = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return [
    eb('checkouts.id', '=', text.toLowerCase()),
    eb('checkouts.block_hash', '=', text.toUpperCase()),
    eb('checkouts.payer', '=', text),
    eb('checkouts.invoice_number', '=', text),
    sql<boolean>`lower(checkouts.title) like ${part} escape '\\'`,
    // Those with a buyer are few, and looked up once.
    sql<boolean>`checkouts.id in (select checkout_id from checkout_buyers where ${ofOwner(owner)}
      and (lower(checkout_buyers.email) like ${part} escape '\\' or lower(checkout_buyers.name) like ${part} escape '\\'))`,
    // The buyer of an invoice is part of it.
    sql<boolean>`(checkouts.invoice is not null and lower(checkouts.invoice) like ${part} escape '\\')`,
  ]
}

interface Page {
  limit: number
  offset?: number
  /** The last checkout of the previous page, so that pages stay stable while new checkouts arrive. */
  after?: { createdAt: number; id: string } | undefined
}

/** Newest first, with the id as second key, so that pages neither repeat nor skip a checkout. */
export async function listCheckouts(db: Db, engine: StoreEngine, filter: Filter, page: Page): Promise<Checkout[]> {
  let query = where(db.selectFrom('checkouts').selectAll('checkouts'), engine, filter)
  if (page.after) {
    const { createdAt, id } = page.after
    query = query.where(behind(['checkouts.created_at', 'desc', createdAt], ['checkouts.id', 'desc', id]))
  }
  const rows = await query
    .orderBy('checkouts.created_at', 'desc')
    .orderBy('checkouts.id', 'desc')
    .limit(page.limit)
    .offset(page.offset ?? 0)
    .execute()
  return rows.map(toCheckout)
}

interface StatusCount {
  status: CheckoutStatus
  count: number
}

/** Counts checkouts by status; whole days are read from the stored sums. */
export async function countByStatus(db: Db, engine: StoreEngine, filter: Filter): Promise<StatusCount[]> {
  const split = splitDays({ ...filter, includeHidden: true })
  if (!split) return countRows(db, engine, filter)
  const all = { ...filter, includeHidden: true }
  const parts = [await countSummed(db, all, split)]
  for (const end of split.ends) parts.push(await countRows(db, engine, { ...all, ...end }))
  // The stored sums do not know which checkouts are hidden; those are few and are counted.
  if (!filter.includeHidden) {
    const hidden = await countRows(db, engine, { ...all, onlyHidden: true })
    parts.push(hidden.map(({ status, count }) => ({ status, count: -count })))
  }
  const counts = addUp(parts.flat(), 'status', (one, other) => ({ ...one, count: one.count + other.count }))
  return counts.filter(({ count }) => count !== 0)
}

/** Adds up the parts with the same name, sorted by name. */
function addUp<T>(parts: readonly T[], name: keyof T, add: (one: T, other: T) => T): T[] {
  const sums = new Map<unknown, T>()
  for (const part of parts) {
    const known = sums.get(part[name])
    sums.set(part[name], known ? add(known, part) : part)
  }
  return [...sums.values()].sort((a, b) => (a[name] < b[name] ? -1 : 1))
}

async function countRows(db: Db, engine: StoreEngine, filter: Filter): Promise<StatusCount[]> {
  const rows = await where(db.selectFrom('checkouts'), engine, filter)
    .select(({ fn }) => ['checkouts.status', fn.countAll().as('count')])
    .groupBy('checkouts.status')
    .orderBy('checkouts.status')
    .execute()
  return rows.map(({ status, count }) => ({ status, count: Number(count) }))
}

/** Revenue of complete checkouts by the currency of their price; whole days are read from the stored sums. */
export async function sumRevenue(db: Db, engine: StoreEngine, filter: Filter): Promise<Revenue[]> {
  const split = splitDays(filter)
  if (!split) return sumRows(db, engine, filter)
  const parts = [await sumSummed(db, engine, filter, split)]
  for (const end of split.ends) parts.push(await sumRows(db, engine, { ...filter, ...end }))
  return addRevenue(parts.flat())
}

/** Adds up to one entry for each currency. */
export const addRevenue = (parts: readonly Revenue[]): Revenue[] =>
  addUp(parts, 'currency', (one, other) => ({
    currency: one.currency,
    count: one.count + other.count,
    raw: one.raw + other.raw,
    e8: one.e8 + other.e8,
  }))

async function sumRows(db: Db, engine: StoreEngine, filter: Filter): Promise<Revenue[]> {
  const rows = await where(db.selectFrom('checkouts'), engine, filter)
    .where('checkouts.status', '=', 'complete')
    .select(({ fn }) => [
      'checkouts.currency',
      fn.countAll().as('count'),
      sumRaw(engine, 'checkouts.paid_raw').as('raw'),
      sumRaw(engine, 'checkouts.price_e8').as('e8'),
    ])
    .groupBy('checkouts.currency')
    .orderBy('checkouts.currency')
    .execute()
  return rows.map(({ currency, count, raw, e8 }) => ({
    currency,
    count: Number(count),
    raw: BigInt(raw),
    e8: BigInt(e8),
  }))
}

/** Refunds of complete checkouts by the currency of their price; they are few, so they are added up row by row. */
export async function sumRefunds(db: Db, engine: StoreEngine, filter: Filter): Promise<Revenue[]> {
  // Starts from the refunds and looks up each checkout: the other way would scan everything ever sold.
  const its = where(db.selectFrom('checkouts').select('checkouts.id'), engine, filter)
    .where('checkouts.status', '=', 'complete')
    .whereRef('checkouts.id', '=', sql.ref('checkout_refunds.checkout_id'))
  let refunds = db.selectFrom('checkout_refunds').where('checkout_refunds.status', '<>', 'failed')
  if (filter.owner !== undefined) refunds = refunds.where('checkout_refunds.owner', '=', filter.owner)
  const rows = await refunds
    .where(({ exists }) => exists(its))
    .select(({ fn }) => ['checkout_refunds.currency', fn.countAll().as('count')])
    .select(sumsOf(engine))
    .groupBy('checkout_refunds.currency')
    .orderBy('checkout_refunds.currency')
    .execute()
  return rows.map(({ currency, count, raw, e8 }) => ({
    currency,
    count: Number(count),
    raw: BigInt(raw),
    e8: BigInt(e8),
  }))
}

/** Refunds of complete checkouts by the key or link that made them. */
export async function sumRefundsByKey(
  db: Db,
  engine: StoreEngine,
  { owner, keyIds }: { owner: string; keyIds: readonly string[] },
): Promise<Map<string, Pick<Revenue, 'raw' | 'e8'>>> {
  if (keyIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('checkout_refunds')
    .innerJoin('checkouts', 'checkouts.id', 'checkout_refunds.checkout_id')
    .where('checkout_refunds.owner', '=', owner)
    .where('checkout_refunds.status', '<>', 'failed')
    .where('checkouts.status', '=', 'complete')
    .where('checkouts.key_id', 'in', [...keyIds])
    .select('checkouts.key_id')
    .select(sumsOf(engine))
    .groupBy('checkouts.key_id')
    .execute()
  return new Map(rows.map(({ key_id: keyId, raw, e8 }) => [keyId!, { raw: BigInt(raw), e8: BigInt(e8) }]))
}

/** Counts late payments that wait for their merchant's decision. */
export async function countLate(db: Db, owner: string): Promise<number> {
  const row = await db
    .selectFrom('checkouts')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('owner', '=', owner)
    // A literal instead of a parameter, so that the partial index of such rows is used.
    .where(sql<boolean>`additional_status = 'paid_late' and status <> 'complete'`)
    .where(sql<boolean>`(refunded_raw = '0' or refunded_raw <> paid_raw)`)
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

export async function listCheckoutsById(db: Db, ids: readonly string[]): Promise<Map<string, Checkout>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('checkouts')
    .select(CHECKOUT_COLUMNS)
    .where('id', 'in', [...ids])
    .execute()
  return new Map(rows.map((row) => [row.id, toCheckout(row)]))
}

export interface ExportedPayment {
  payment: Payment
  /** Undefined for an unmatched payment. */
  checkout: Checkout | undefined
}

/** Payments with their checkouts, newest first, page by page. */
export async function listExported(
  db: Db,
  { owner, after, limit }: { owner: string | undefined; after: Payment | undefined; limit: number },
): Promise<ExportedPayment[]> {
  let query = db.selectFrom('checkout_payments').selectAll()
  if (owner !== undefined) query = query.where('owner', '=', owner)
  if (after) {
    const { createdAt, blockHash, owner: lastOwner } = after
    query = query.where(
      behind(['created_at', 'desc', createdAt], ['block_hash', 'desc', blockHash], ['owner', 'desc', lastOwner]),
    )
  }
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('block_hash', 'desc')
    .orderBy('owner', 'desc')
    .limit(limit)
    .execute()
  if (rows.length === 0) return []
  const idOf = ({ kind, checkout_id: id }: (typeof rows)[number]) => (kind === 'unmatched' ? null : id)
  const ids = rows.map(idOf).filter((id) => id !== null)
  const byId = await listCheckoutsById(db, [...new Set(ids)])
  return rows.map((row) => ({ payment: toPayment(row), checkout: byId.get(idOf(row) ?? '') }))
}
