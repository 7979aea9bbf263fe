import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import { type Given, givenRow, prepared } from '../../kernel/prepared.ts'
import type { EventsTable } from './tables.ts'

/** An event as its owner may see it: without its secret, and without the query of its address, which may hold one. */
export interface EventRecord {
  id: string
  accountId: string | null
  /** Where it stands among the events of its account. */
  position: number | null
  subject: string
  type: string
  body: string | null
  url: string | null
  createdAt: number
  deliveredAt: number | null
}

function toEvent(row: EventsTable): EventRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    position: row.position,
    subject: row.subject,
    type: row.type,
    body: row.body,
    url: row.url === null ? null : withoutQuery(row.url),
    createdAt: row.created_at,
    deliveredAt: row.delivered_at,
  }
}

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/**
 * The next position of an account. The row stays locked until the commit, so that positions become visible in order and
 * a reader that goes on from one misses nothing.
 */
export async function takePosition(db: Db, accountId: string): Promise<number> {
  const [taken] = await countPosition(db, { accountId })
  return taken!.last
}

const countPosition = prepared((db, given: Given<{ accountId: string }>) =>
  db
    .insertInto('event_positions')
    .values({ account_id: given('accountId'), last: 1 })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ last: sql`event_positions.last + 1` }))
    .returning('last'),
)

/** Nothing → recorded; false when this event is known already. */
export async function insertEvent(db: Db, event: Omit<EventsTable, 'delivered_at'>): Promise<boolean> {
  return (await insertRow(db, event)).length > 0
}

const NEW_EVENT = [
  'id',
  'account_id',
  'position',
  'subject',
  'type',
  'dedupe_key',
  'body',
  'url',
  'sealed_secret',
  'created_at',
] as const satisfies readonly (keyof EventsTable)[]

const insertRow = prepared((db, given: Given<Omit<EventsTable, 'delivered_at'>>) =>
  db
    .insertInto('events')
    .values({ ...givenRow(given, NEW_EVENT), delivered_at: null })
    .onConflict((conflict) => conflict.columns(['subject', 'type', 'dedupe_key']).doNothing())
    .returning('id'),
)

export async function findEvent(
  db: Db,
  { accountId, eventId }: { accountId: string; eventId: string },
): Promise<EventRecord | undefined> {
  const row = await db
    .selectFrom('events')
    .selectAll()
    .where('id', '=', eventId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row && toEvent(row)
}

interface EventFilter {
  accountId: string
  /** Only what comes after. */
  afterPosition: number
  delivered: boolean | undefined
  limit: number
}

/** The events of an account in the order in which they were committed. */
export async function listEventsAfter(db: Db, filter: EventFilter): Promise<EventRecord[]> {
  const { accountId, afterPosition, delivered, limit } = filter
  let query = db
    .selectFrom('events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('position', '>', afterPosition)
  if (delivered !== undefined) query = query.where('delivered_at', delivered ? 'is not' : 'is', null)
  const rows = await query.orderBy('position').limit(limit).execute()
  return rows.map(toEvent)
}

/** The same backwards: the newest ones before a position. */
export async function listEventsBefore(
  db: Db,
  { accountId, beforePosition, delivered, limit }: Omit<EventFilter, 'afterPosition'> & { beforePosition: number },
): Promise<EventRecord[]> {
  let query = db
    .selectFrom('events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('position', '<', beforePosition)
  if (delivered !== undefined) query = query.where('delivered_at', delivered ? 'is not' : 'is', null)
  const rows = await query.orderBy('position', 'desc').limit(limit).execute()
  return rows.map(toEvent)
}

/** The position behind which everything lies that was made from a time on; the last one when that is nothing yet. */
export async function findPositionBefore(db: Db, accountId: string, createdFrom: number): Promise<number> {
  const own = db.selectFrom('events').where('account_id', '=', accountId)
  const first = await own
    .select(({ fn }) => fn.min('position').as('position'))
    .where('created_at', '>=', createdFrom)
    .executeTakeFirst()
  if (typeof first?.position === 'number') return first.position - 1
  const last = await own.select(({ fn }) => fn.max('position').as('position')).executeTakeFirst()
  return last?.position ?? 0
}

/** What was told about one subject, oldest first. Without an account it is what was made without a key. */
export async function listEventsAbout(
  db: Db,
  { subject, accountId, limit }: { subject: string; accountId: string | null; limit: number },
): Promise<EventRecord[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('subject', '=', subject)
    .where('account_id', accountId === null ? 'is' : '=', accountId)
    .orderBy('created_at')
    // Two of one millisecond: their positions say which was first.
    .orderBy('position')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toEvent)
}

/** The first delivery counts; later ones change nothing. */
export async function markEventsDelivered(db: Db, eventIds: readonly string[], now: number): Promise<void> {
  await db
    .updateTable('events')
    .set({ delivered_at: now })
    .where('id', 'in', [...eventIds])
    .where('delivered_at', 'is', null)
    .execute()
}

const OPEN = sql<boolean>`exists (select 1 from deliveries
  where deliveries.event_id = events.id and deliveries.state in ('queued', 'sending', 'retrying'))`

/** Forgets what was sent, and the secret it was signed with; never while it is still on its way. */
export async function forgetBodies(db: Db, createdBefore: number): Promise<void> {
  await db
    .updateTable('events')
    .set({ body: null, sealed_secret: null })
    .where('created_at', '<', createdBefore)
    .where('body', 'is not', null)
    .where(({ not }) => not(OPEN))
    .execute()
}

/** Deletes old events with everything about them; answers how many. Call it in a transaction. */
export async function deleteOldEvents(db: Db, createdBefore: number, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('events')
    .select('id')
    .where('created_at', '<', createdBefore)
    .where(({ not }) => not(OPEN))
    .limit(limit)
    .execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return 0
  const deliveries = db.selectFrom('deliveries').select('id').where('event_id', 'in', ids)
  await db.deleteFrom('delivery_attempts').where('delivery_id', 'in', deliveries).execute()
  await db.deleteFrom('deliveries').where('event_id', 'in', ids).execute()
  await db.deleteFrom('events').where('id', 'in', ids).execute()
  return ids.length
}
