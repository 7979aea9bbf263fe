import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import { behind } from '../../kernel/paging.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import type { Every } from './subscriptions/periods.ts'
import type { PaymentLinksTable } from './tables.ts'

export interface PaymentLink {
  id: string
  owner: string
  slug: string
  isPaused: boolean
  /** The `checkout` fields with which each order begins. */
  fields: JsonObject
  /** Encrypted. */
  webhookSecret: string | null
  quantityMin: number
  quantityMax: number
  suggested: string[]
  soldMax: number | null
  endsAt: number | null
  /** How often it is paid; null for a single payment. */
  every: Every | null
  graceDays: number
  held: number
  sold: number
  orders: number
  revenueRaw: bigint
  revenueE8: bigint
  createdAt: number
  updatedAt: number
}

const toLink = (row: PaymentLinksTable): PaymentLink => ({
  id: row.id,
  owner: row.owner,
  slug: row.slug,
  isPaused: row.paused === 1,
  fields: JSON.parse(row.fields) as JsonObject,
  webhookSecret: row.webhook_secret,
  quantityMin: row.quantity_min,
  quantityMax: row.quantity_max,
  suggested: JSON.parse(row.suggested) as string[],
  soldMax: row.sold_max,
  endsAt: row.ends_at,
  every: row.every as Every | null,
  graceDays: row.grace_days,
  held: row.held,
  sold: row.sold,
  orders: row.orders,
  revenueRaw: BigInt(row.revenue_raw),
  revenueE8: BigInt(row.revenue_e8),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** The columns that its merchant may change. */
const toTerms = (link: PaymentLink) => ({
  paused: link.isPaused ? 1 : 0,
  fields: JSON.stringify(link.fields),
  webhook_secret: link.webhookSecret,
  quantity_min: link.quantityMin,
  quantity_max: link.quantityMax,
  suggested: JSON.stringify(link.suggested),
  sold_max: link.soldMax,
  ends_at: link.endsAt,
  every: link.every,
  grace_days: link.graceDays,
  updated_at: link.updatedAt,
})

/** False when another link has the slug. */
export async function insertLink(db: Db, link: PaymentLink): Promise<boolean> {
  const row = await db
    .insertInto('payment_links')
    .values({
      id: link.id,
      owner: link.owner,
      slug: link.slug,
      ...toTerms(link),
      held: 0,
      sold: 0,
      orders: 0,
      revenue_raw: '0',
      revenue_e8: '0',
      created_at: link.createdAt,
      deleted_at: null,
    })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function findLinkBySlug(db: Db, slug: string): Promise<PaymentLink | undefined> {
  const row = await db
    .selectFrom('payment_links')
    .selectAll()
    .where('slug', '=', slug)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row && toLink(row)
}

export async function findOwnLink(db: Db, { id, owner }: Own): Promise<PaymentLink | undefined> {
  const row = await db
    .selectFrom('payment_links')
    .selectAll()
    .where('id', '=', id)
    .where('owner', '=', owner)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row && toLink(row)
}

interface Own {
  id: string
  owner: string
}

interface Page {
  owner: string
  limit: number
  after?: { createdAt: number; id: string } | undefined
}

/** Newest first. */
export async function listLinks(db: Db, { owner, limit, after }: Page): Promise<PaymentLink[]> {
  let query = db.selectFrom('payment_links').selectAll().where('owner', '=', owner).where('deleted_at', 'is', null)
  if (after) query = query.where(behind(['created_at', 'desc', after.createdAt], ['id', 'desc', after.id]))
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(toLink)
}

/** Includes deleted links, because their slugs stay taken. */
export async function countLinks(db: Db, owner: string): Promise<number> {
  const row = await db
    .selectFrom('payment_links')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('owner', '=', owner)
    .executeTakeFirst()
  return Number(row!.count)
}

/** Locks a link until the transaction ends, so that two changes run one after the other. */
export async function lockLink(db: Db, { id, owner }: Own): Promise<PaymentLink | undefined> {
  const row = await db
    .updateTable('payment_links')
    .set(({ ref }) => ({ paused: ref('paused') }))
    .where('id', '=', id)
    .where('owner', '=', owner)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return row && toLink(row)
}

/** Stores the terms of a locked link; its counts of sales are not among them. */
export async function updateTerms(db: Db, link: PaymentLink): Promise<void> {
  await db.updateTable('payment_links').set(toTerms(link)).where('id', '=', link.id).execute()
}

/** False when it was deleted already. */
export async function markDeleted(db: Db, { id, owner, now }: Own & { now: number }): Promise<boolean> {
  const row = await db
    .updateTable('payment_links')
    .set({ deleted_at: now })
    .where('id', '=', id)
    .where('owner', '=', owner)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

interface Taking {
  id: string
  quantity: number
  now: number
}

/** Holds pieces in one statement, so that concurrent orders never hold and sell more than there are. */
export async function takeStock(db: Db, { id, quantity, now }: Taking): Promise<boolean> {
  const row = await db
    .updateTable('payment_links')
    .set(({ eb }) => ({ held: eb('held', '+', quantity) }))
    .where('id', '=', id)
    .where('paused', '=', 0)
    .where('deleted_at', 'is', null)
    .where(({ or, eb }) => or([eb('ends_at', 'is', null), eb('ends_at', '>', now)]))
    .where(({ or, eb }) =>
      or([eb('sold_max', 'is', null), eb('sold_max', '>=', sql<number>`held + sold + ${sql.lit(quantity)}`)]),
    )
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

interface Moved {
  id: string
  held: number
  sold: number
  orders: number
  raw: bigint
  e8: bigint
}

/** Updates a link's counts when a checkout changes. The statement locks the row. */
export async function moveStock(db: Db, { id, held, sold, orders, raw, e8 }: Moved): Promise<void> {
  const row = await db
    .updateTable('payment_links')
    .set(({ eb }) => ({ held: eb('held', '+', held), sold: eb('sold', '+', sold), orders: eb('orders', '+', orders) }))
    .where('id', '=', id)
    .returning(['revenue_raw', 'revenue_e8'])
    .executeTakeFirst()
  if (!row || (raw === 0n && e8 === 0n)) return
  const revenue = {
    revenue_raw: (BigInt(row.revenue_raw) + raw).toString(),
    revenue_e8: (BigInt(row.revenue_e8) + e8).toString(),
  }
  await db.updateTable('payment_links').set(revenue).where('id', '=', id).execute()
}
