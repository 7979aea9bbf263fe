import type { Db } from '../../../kernel/db.ts'
import { type DeliveryRecord, listDeliveries } from '../deliveries-store.ts'
import { eventNotFound } from '../errors.ts'
import {
  type EventRecord,
  findEvent,
  findPositionBefore,
  listEventsAbout,
  listEventsAfter,
  listEventsBefore,
} from '../store.ts'

/** More than any subject has: there are few types of events, and each happens once. */
const ABOUT_MAX = 200

export type EventWithDeliveries = EventRecord & { deliveries: DeliveryRecord[] }

/** Where a reader continues: after an event it has seen, or from a time. */
export type Since = { position: number } | { eventId: string } | { createdFrom: number }

export interface EventQuery {
  accountId: string
  since: Since
  delivered: boolean | undefined
  /** Only events of addresses that this endpoint watches. */
  endpointId: string | undefined
  limit: number
}

interface EventPage {
  events: EventRecord[]
  /** Continues after the last event of this page, without missing or repeating one. */
  position: number
  hasMore: boolean
}

/** The events of an account in the order in which they happened, whether or not they are pushed. */
export async function listEvents(
  { db }: { db: Db },
  { accountId, since, delivered, endpointId, limit }: EventQuery,
): Promise<EventPage> {
  const afterPosition = await findPosition(db, accountId, since)
  const found = await listEventsAfter(db, { accountId, afterPosition, delivered, endpointId, limit: limit + 1 })
  const events = found.slice(0, limit)
  return { events, position: events.at(-1)?.position ?? afterPosition, hasMore: found.length > limit }
}

/** The newest events of an account before a position, with their deliveries. */
export async function listNewestEvents(
  { db }: { db: Db },
  filter: { accountId: string; beforePosition: number; delivered: boolean | undefined; limit: number },
): Promise<{ events: EventWithDeliveries[]; hasMore: boolean }> {
  const found = await listEventsBefore(db, { ...filter, limit: filter.limit + 1 })
  return { events: await withDeliveries(db, found.slice(0, filter.limit)), hasMore: found.length > filter.limit }
}

async function findPosition(db: Db, accountId: string, since: Since): Promise<number> {
  if ('position' in since) return since.position
  if ('createdFrom' in since) return findPositionBefore(db, accountId, since.createdFrom)
  const event = await findEvent(db, { accountId, eventId: since.eventId })
  if (!event) throw eventNotFound()
  return event.position!
}

/** One event with all its deliveries. */
export async function getEvent(
  { db }: { db: Db },
  { accountId, eventId }: { accountId: string; eventId: string },
): Promise<EventWithDeliveries> {
  const event = await findEvent(db, { accountId, eventId })
  if (!event) throw eventNotFound()
  return { ...event, deliveries: await listDeliveries(db, [eventId]) }
}

/** The events about a checkout, with their deliveries. */
export async function listEventsOf(
  { db }: { db: Db },
  { subject, accountId }: { subject: string; accountId: string | null },
): Promise<EventWithDeliveries[]> {
  return withDeliveries(db, await listEventsAbout(db, { subject, accountId, limit: ABOUT_MAX }))
}

async function withDeliveries(db: Db, events: readonly EventRecord[]): Promise<EventWithDeliveries[]> {
  const deliveries = await listDeliveries(
    db,
    events.map(({ id }) => id),
  )
  const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId)
  return events.map((event) => ({ ...event, deliveries: byEvent.get(event.id) ?? [] }))
}
