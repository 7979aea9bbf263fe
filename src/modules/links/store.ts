import { sql } from 'kysely'
import type { Db, Tables } from '../../kernel/db.ts'
import { type PaymentLink, paymentLinks } from './payment-link.ts'

/** False when another link has the slug. */
export async function insertLink(db: Db, link: PaymentLink): Promise<boolean> {
  const row = await db
    .insertInto('payment_links')
    .values({ ...(paymentLinks.toRow(link) as Tables['payment_links']), deleted_at: null })
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
  return row && paymentLinks.toRecord(row)
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
