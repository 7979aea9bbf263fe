import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import { type Given, givenRow, prepared } from '../../kernel/prepared.ts'
import { type RecordIn, type RowIn, columns, plain } from '../../kernel/resource/columns.ts'

/** The type of a test event. */
export const PING = 'ping'

const EVENT = columns({
  id: plain<string>(),
  /** Null for checkouts made without a key. */
  accountId: plain<string | null>(),
  /** Numbers an account's events in the order of their commits. */
  position: plain<number | null>(),
  /** What the event is about, such as the id of a checkout. */
  subject: plain<string>(),
  type: plain<string>(),
  /** The exact bytes that are sent, as text; null once deleted. */
  body: plain<string | null>(),
  url: plain<string | null>(),
  createdAt: plain<number>(),
  deliveredAt: plain<number | null>(),
})

/** An event as its owner may see it: without its secret, and without the query of its URL, which may contain one. */
export type EventRecord = RecordIn<typeof EVENT>
export interface EventsTable extends RowIn<typeof EVENT> {
  dedupe_key: string
  sealed_secret: string | null
  /** The only endpoint that gets it; null means every endpoint that asks for it. */
  endpoint_id: string | null
}

const toEvent = (row: EventsTable): EventRecord => ({
  ...EVENT.toRecord(row),
  url: row.url === null ? null : withoutQuery(row.url),
})

export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/**
 * Takes an account's next position and returns how many endpoints it has. The row stays locked until the commit, so that positions become
 * visible in order and a reader who continues from one misses nothing.
 */
export async function takePosition(db: Db, accountId: string): Promise<{ last: number; endpoints: number }> {
  const [taken] = await countPosition(db, { accountId })
  return taken!
}

const countPosition = prepared((db, given: Given<{ accountId: string }>) =>
  db
    .insertInto('event_positions')
    .values({ account_id: given('accountId'), last: 1, endpoints: 0 })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ last: sql`event_positions.last + 1` }))
    .returning(['last', 'endpoints']),
)

type NewEvent = Omit<EventsTable, 'position' | 'delivered_at'>

/** Records an event at the position that its transaction has just taken; false when it is known already. */
export async function insertEvent(db: Db, event: NewEvent): Promise<boolean> {
  return (await insertRow(db, event)).length > 0
}

const NEW_EVENT = [
  'id',
  'account_id',
  'subject',
  'type',
  'dedupe_key',
  'body',
  'url',
  'sealed_secret',
  'created_at',
  'endpoint_id',
] as const satisfies readonly (keyof NewEvent)[]

const insertRow = prepared((db, given: Given<NewEvent>) =>
  db
    .insertInto('events')
    .values({
      ...givenRow(given, NEW_EVENT),
      position: sql<number>`(select last from event_positions where account_id = ${given('account_id')})`,
      delivered_at: null,
    })
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
  /** Exclusive. */
  afterPosition: number
  delivered: boolean | undefined
  /** Only events for this endpoint alone, those of its watched addresses. */
  endpointId?: string | undefined
  limit: number
}

/** The events of an account in the order in which they were committed. */
export async function listEventsAfter(db: Db, filter: EventFilter): Promise<EventRecord[]> {
  const { accountId, afterPosition, delivered, endpointId, limit } = filter
  let query = db
    .selectFrom('events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('position', '>', afterPosition)
  if (endpointId !== undefined) query = query.where('endpoint_id', '=', endpointId)
  if (delivered !== undefined) query = query.where('delivered_at', delivered ? 'is not' : 'is', null)
  const rows = await query.orderBy('position').limit(limit).execute()
  return rows.map(toEvent)
}

/** The same backwards: the newest events before a position. */
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

/** The position before the first event made since a time; the last position when there is none yet. */
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

/** The events about one subject, oldest first; without an account, those of checkouts made without a key. */
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
    // Positions order two events of the same millisecond.
    .orderBy('position')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toEvent)
}

/** Whether a receiver should get the event and has not accepted it; removed endpoints no longer count. */
const MISSED = sql<boolean>`exists (select 1 from deliveries as missed
  where missed.event_id = events.id and missed.state <> 'delivered'
    and (missed.endpoint_id is null or exists (select 1 from webhook_endpoints where webhook_endpoints.id = missed.endpoint_id))
    and not exists (select 1 from deliveries as taken
    where taken.event_id = events.id and taken.state = 'delivered'
      and coalesce(taken.endpoint_id, '') = coalesce(missed.endpoint_id, '')))`

const TAKEN = sql<boolean>`exists (select 1 from deliveries as had where had.event_id = events.id and had.state = 'delivered')`

/**
 * Marks events as delivered once every receiver has accepted them; later deliveries change nothing. Concurrent transactions may settle two
 * receivers of an event without seeing each other: one that finds a receiver missing waits for the other and checks again.
 */
export async function markEventsDelivered(db: Db, eventIds: readonly string[], now: number): Promise<void> {
  const marked = await markWhole(db, eventIds, now)
  const rest = [...new Set(eventIds)].filter((id) => !marked.has(id))
  if (rest.length === 0) return
  await lockEvents(db, rest)
  await markWhole(db, rest, now)
}

async function markWhole(db: Db, eventIds: readonly string[], now: number): Promise<Set<string>> {
  const rows = await db
    .updateTable('events')
    .set({ delivered_at: now })
    .where('id', 'in', [...eventIds])
    .where('delivered_at', 'is', null)
    .where(({ and, not }) => and([TAKEN, not(MISSED)]))
    .returning('id')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Locks undelivered events until the transaction ends. */
export async function lockEvents(db: Db, eventIds: readonly string[]): Promise<void> {
  await db
    .updateTable('events')
    .set(({ ref }) => ({ subject: ref('subject') }))
    .where('id', 'in', [...eventIds].sort())
    .where('delivered_at', 'is', null)
    .execute()
}

const OPEN = sql<boolean>`exists (select 1 from deliveries
  where deliveries.event_id = events.id and deliveries.state in ('queued', 'sending', 'retrying'))`

/** Deletes bodies and their secrets; never while a delivery is open. */
export async function forgetBodies(db: Db, createdBefore: number, limit: number): Promise<number> {
  const isOld = sql<boolean>`created_at < ${createdBefore} and body is not null and not ${OPEN}`
  const { numUpdatedRows } = await db
    .updateTable('events')
    .set({ body: null, sealed_secret: null })
    .where('id', 'in', (query) => query.selectFrom('events').select('id').where(isOld).limit(limit))
    .where(isOld)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Deletes old events with everything about them and returns how many. Call it in a transaction. */
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
