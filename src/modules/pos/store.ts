import type { Db } from '../../kernel/db.ts'
import { behind } from '../../kernel/keyset.ts'
import type { PointsOfSaleTable } from './tables.ts'

export interface PosItem {
  title: string
  /** In the currency, as plain decimal text. */
  price: string
}

export interface PointOfSale {
  id: string
  owner: string
  title: string
  currency: string
  address: string
  items: PosItem[]
  tips: number[]
  timeZone: string
  isPaused: boolean
  /** Sealed. */
  token: string
  tokenMark: string
  pinMark: string | null
  wrongPins: number
  createdAt: number
  updatedAt: number
}

const toPos = (row: PointsOfSaleTable): PointOfSale => ({
  id: row.id,
  owner: row.owner,
  title: row.title,
  currency: row.currency,
  address: row.address,
  items: JSON.parse(row.items) as PosItem[],
  tips: JSON.parse(row.tips) as number[],
  timeZone: row.time_zone,
  isPaused: row.paused === 1,
  token: row.token,
  tokenMark: row.token_mark,
  pinMark: row.pin_mark,
  wrongPins: row.wrong_pins,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const toRow = (pos: PointOfSale) => ({
  title: pos.title,
  address: pos.address,
  items: JSON.stringify(pos.items),
  tips: JSON.stringify(pos.tips),
  time_zone: pos.timeZone,
  paused: pos.isPaused ? 1 : 0,
  token: pos.token,
  token_mark: pos.tokenMark,
  pin_mark: pos.pinMark,
  wrong_pins: pos.wrongPins,
  updated_at: pos.updatedAt,
})

export async function insertPos(db: Db, pos: PointOfSale): Promise<void> {
  const { id, owner, currency, createdAt } = pos
  const row = { id, owner, currency, ...toRow(pos), created_at: createdAt, deleted_at: null }
  await db.insertInto('points_of_sale').values(row).execute()
}

/** Whoever asks must prove that they may. */
export async function findPos(db: Db, id: string): Promise<PointOfSale | undefined> {
  const row = await db
    .selectFrom('points_of_sale')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row && toPos(row)
}

interface Own {
  id: string
  owner: string
}

export async function findOwnPos(db: Db, { id, owner }: Own): Promise<PointOfSale | undefined> {
  const found = await findPos(db, id)
  return found?.owner === owner ? found : undefined
}

interface Page {
  owner: string
  limit: number
  after?: { createdAt: number; id: string } | undefined
}

/** Newest first. */
export async function listPos(db: Db, { owner, limit, after }: Page): Promise<PointOfSale[]> {
  let query = db.selectFrom('points_of_sale').selectAll().where('owner', '=', owner).where('deleted_at', 'is', null)
  if (after) query = query.where(behind(['created_at', 'desc', after.createdAt], ['id', 'desc', after.id]))
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(toPos)
}

export async function countPos(db: Db, owner: string): Promise<number> {
  const row = await db
    .selectFrom('points_of_sale')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('owner', '=', owner)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return Number(row!.count)
}

/** Takes hold of one until the transaction ends: two changes are made one after the other. */
export async function lockPos(db: Db, { id, owner }: Own): Promise<PointOfSale | undefined> {
  const row = await db
    .updateTable('points_of_sale')
    .set(({ ref }) => ({ paused: ref('paused') }))
    .where('id', '=', id)
    .where('owner', '=', owner)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return row && toPos(row)
}

/** Writes what `lockPos` holds. */
export async function updatePos(db: Db, pos: PointOfSale): Promise<void> {
  await db.updateTable('points_of_sale').set(toRow(pos)).where('id', '=', pos.id).execute()
}

/** False when it was gone already. */
export async function markDeleted(db: Db, { id, owner, now }: Own & { now: number }): Promise<boolean> {
  const row = await db
    .updateTable('points_of_sale')
    .set({ deleted_at: now })
    .where('id', '=', id)
    .where('owner', '=', owner)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
