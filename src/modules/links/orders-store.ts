import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'

export interface LinkOrder {
  checkoutId: string
  linkId: string
  visit: string
  visitor: string
  quantity: number
  subscriptionId: string | null
  createdAt: number
}

export async function insertOrder(db: Db, order: LinkOrder): Promise<void> {
  await db
    .insertInto('link_orders')
    .values({
      checkout_id: order.checkoutId,
      link_id: order.linkId,
      visit: order.visit,
      visitor: order.visitor,
      quantity: order.quantity,
      subscription_id: order.subscriptionId,
      created_at: order.createdAt,
    })
    .execute()
}

/** The checkout that a submitted page has made. */
export async function findVisit(
  db: Db,
  { linkId, visit }: { linkId: string; visit: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('link_orders')
    .select('checkout_id')
    .where('link_id', '=', linkId)
    .where('visit', '=', visit)
    .executeTakeFirst()
  return row?.checkout_id
}

/** After a page's checkout has ended, the page may make another. */
export async function forgetVisit(db: Db, checkoutId: string): Promise<void> {
  await db.updateTable('link_orders').set({ visit: null }).where('checkout_id', '=', checkoutId).execute()
}

/** The number of pieces of a checkout, and the subscription it pays for. */
export async function findOrder(
  db: Db,
  checkoutId: string,
): Promise<{ quantity: number; subscriptionId: string | null } | undefined> {
  const row = await db
    .selectFrom('link_orders')
    .select(['quantity', 'subscription_id'])
    .where('checkout_id', '=', checkoutId)
    .executeTakeFirst()
  return row && { quantity: row.quantity, subscriptionId: row.subscription_id }
}

/** Deletes visitors' fingerprints once no limit needs them; returns how many. */
export async function forgetVisitors(db: Db, createdBefore: number, limit: number): Promise<number> {
  const isOld = sql<boolean>`visitor <> '' and created_at < ${createdBefore}`
  const { numUpdatedRows } = await db
    .updateTable('link_orders')
    .set({ visitor: '' })
    .where('checkout_id', 'in', (query) =>
      query.selectFrom('link_orders').select('checkout_id').where(isOld).limit(limit),
    )
    .where(isOld)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

interface Share {
  linkId: string
  visitor: string
  since: number
}

/** A visitor's share of a link: open orders, and those that ended unpaid recently. */
export async function countShare(db: Db, { linkId, visitor, since }: Share): Promise<{ open: number; lapsed: number }> {
  const rows = await db
    .selectFrom('link_orders')
    .innerJoin('checkouts', 'checkouts.id', 'link_orders.checkout_id')
    .select(({ fn }) => ['checkouts.status', fn.countAll().as('count')])
    .where('link_orders.link_id', '=', linkId)
    .where('link_orders.visitor', '=', visitor)
    .where('link_orders.created_at', '>', since)
    .groupBy('checkouts.status')
    .execute()
  const count = (...statuses: string[]) =>
    rows.filter(({ status }) => statuses.includes(status)).reduce((sum, row) => sum + Number(row.count), 0)
  return { open: count('pending', 'detected', 'partial'), lapsed: count('expired', 'cancelled') }
}
