import { sql } from 'kysely'
import type { Db, Tables } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'
import { type RecordIn, type RowIn, columns, plain } from '../../kernel/resource/columns.ts'
import { type DueDelivery, OPEN } from './due-store.ts'

const LISTED_MAX = 500

export type AttemptRecord = Omit<Tables['delivery_attempts'], 'delivery_id'>

const DELIVERY = columns({
  id: plain<string>(),
  eventId: plain<string>(),
  /** Null for the URL that the event itself names. */
  endpointId: plain<string | null>(),
  cause: plain<'event' | 'redelivery' | 'replay' | 'test'>(),
  state: plain<'queued' | 'sending' | 'retrying' | 'delivered' | 'dead'>(),
  nextAt: plain<number | null>(),
  createdAt: plain<number>(),
  finishedAt: plain<number | null>(),
})

type Delivery = RecordIn<typeof DELIVERY>
export type DeliveryRecord = Delivery & { attempts: AttemptRecord[] }
export interface DeliveriesTable extends RowIn<typeof DELIVERY> {
  /** Attempts with a known result. */
  attempts: number
}

const toDelivery = (row: DeliveriesTable, attempts: Tables['delivery_attempts'][]): DeliveryRecord => ({
  ...DELIVERY.toRecord(row),
  attempts: attempts.map(({ delivery_id: _deliveryId, ...attempt }) => attempt),
})

export interface NewDelivery extends Pick<Delivery, 'id' | 'eventId' | 'endpointId' | 'cause'> {
  now: number
  nextAt: number
}

export async function insertDelivery(db: Db, delivery: NewDelivery): Promise<void> {
  await insertRow(db, delivery)
}

const insertRow = prepared((db, given: Given<NewDelivery>) => {
  const due = { next_at: given('nextAt'), created_at: given('now'), finished_at: null }
  const what = {
    id: given('id'),
    event_id: given('eventId'),
    endpoint_id: given('endpointId'),
    cause: given('cause'),
  }
  return db.insertInto('deliveries').values({ ...what, state: 'queued', attempts: 0, ...due })
})

/** Deliveries of some events with all their attempts, oldest first; when there are very many, only the newest. */
export async function listDeliveries(db: Db, eventIds: readonly string[]): Promise<DeliveryRecord[]> {
  if (eventIds.length === 0) return []
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('event_id', 'in', eventIds)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(LISTED_MAX)
    .execute()
  return withAttempts(db, rows.reverse())
}

/** Adds all their attempts to deliveries, keeping the order. */
export async function withAttempts(db: Db, rows: readonly DeliveriesTable[]): Promise<DeliveryRecord[]> {
  if (rows.length === 0) return []
  const attempts = await db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where(
      'delivery_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('attempt')
    .execute()
  const byDelivery = Map.groupBy(attempts, ({ delivery_id: id }) => id)
  return rows.map((row) => toDelivery(row, byDelivery.get(row.id) ?? []))
}

/** The state of a delivery after an attempt. */
type DeliveryChange = Pick<Delivery, 'state' | 'nextAt' | 'finishedAt'>

/** Matches deliveries that are still as they were read, which decides who may continue with one. */
const unchanged = (due: readonly DueDelivery[]) => sql<boolean>`deliveries.id in (${sql.join(due.map(({ id }) => id))})
  and deliveries.state in ('queued', 'sending', 'retrying')
  and deliveries.id || ':' || deliveries.attempts in (${sql.join(due.map(({ id, attemptsMade }) => `${id}:${attemptsMade}`))})`

/**
 * Changes open deliveries to `sending` and returns their ids; those that another process changed first are left out. After a crash, a delivery is
 * `sending` already and is attempted again.
 */
export async function markSending(db: Db, due: readonly DueDelivery[]): Promise<Set<string>> {
  const rows = await db
    .updateTable('deliveries')
    .set({ state: 'sending' })
    .where(unchanged(due))
    .returning('id')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Records that this attempt of each delivery succeeded, and returns their ids; those whose outcome was known already are left out. */
export async function markDelivered(db: Db, due: readonly DueDelivery[], now: number): Promise<Set<string>> {
  const rows = await db
    .updateTable('deliveries')
    .set(({ eb }) => ({ state: 'delivered', attempts: eb('attempts', '+', 1), next_at: null, finished_at: now }))
    .where(unchanged(due))
    .returning('id')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Records a finished attempt; false when its outcome is known already, and then nothing of it may count. */
export async function markAttempted(
  db: Db,
  { id, attemptsMade }: DueDelivery,
  { state, nextAt, finishedAt }: DeliveryChange,
): Promise<boolean> {
  const won = await db
    .updateTable('deliveries')
    .set({ state, attempts: attemptsMade + 1, next_at: nextAt, finished_at: finishedAt })
    .where('id', '=', id)
    .where('state', 'in', OPEN)
    .where('attempts', '=', attemptsMade)
    .returning('id')
    .executeTakeFirst()
  return won !== undefined
}

export async function insertAttempts(db: Db, attempts: readonly Tables['delivery_attempts'][]): Promise<void> {
  await db
    .insertInto('delivery_attempts')
    .values([...attempts])
    .execute()
}

/** The unfinished delivery of an event to one receiver. */
export async function findOpen(
  db: Db,
  { eventId, endpointId }: { eventId: string; endpointId: string | null },
): Promise<Pick<DueDelivery, 'id' | 'nextAt'> | undefined> {
  const row = await db
    .selectFrom('deliveries')
    .select(['id', 'next_at'])
    .where('event_id', '=', eventId)
    .where('endpoint_id', endpointId === null ? 'is' : '=', endpointId)
    .where('state', 'in', OPEN)
    .orderBy('next_at')
    .executeTakeFirst()
  return row && { id: row.id, nextAt: row.next_at! }
}

/** Existing endpoints that an event was sent to. */
export async function listReceivers(db: Db, eventId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('webhook_endpoints', 'webhook_endpoints.id', 'deliveries.endpoint_id')
    .select('webhook_endpoints.id')
    .distinct()
    .where('deliveries.event_id', '=', eventId)
    .orderBy('webhook_endpoints.id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Sets when an open delivery is due; false when it changed meanwhile. Counts no attempt. */
export async function markDueAt(db: Db, { id, nextAt }: Pick<DueDelivery, 'id' | 'nextAt'>, at: number) {
  const won = await db
    .updateTable('deliveries')
    .set({ next_at: at })
    .where('id', '=', id)
    .where('state', 'in', OPEN)
    .where('next_at', '=', nextAt)
    .returning('id')
    .executeTakeFirst()
  return won !== undefined
}

/** Deliveries that are overdue by a long time. */
export async function listStuck(
  db: Db,
  dueBefore: number,
  limit: number,
): Promise<{ id: string; endpointId: string | null }[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['id', 'endpoint_id'])
    // Written as in the partial index, which SQLite would not use otherwise.
    .where(sql<boolean>`state <> 'delivered'`)
    .where('state', 'in', OPEN)
    .where('next_at', '<', dueBefore)
    .limit(limit)
    .execute()
  return rows.map(({ id, endpoint_id: endpointId }) => ({ id, endpointId }))
}

/** Counts undelivered deliveries by state, without tests. */
export async function countUndelivered(db: Db): Promise<{ state: Delivery['state']; count: number }[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select(({ fn }) => ['state', fn.countAll().as('count')])
    .where(sql<boolean>`state <> 'delivered'`)
    .where('cause', '<>', 'test')
    .groupBy('state')
    .execute()
  return rows.map(({ state, count }) => ({ state, count: Number(count) }))
}

/** Counts an account's deliveries that are retried after a failure, and those given up. */
export async function countFailing(db: Db, accountId: string): Promise<{ retrying: number; dead: number }> {
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .select(({ fn }) => ['deliveries.state', fn.countAll().as('count')])
    .where('events.account_id', '=', accountId)
    .where('events.delivered_at', 'is', null)
    .where('deliveries.state', 'in', ['retrying', 'dead'])
    .where('deliveries.cause', '<>', 'test')
    .groupBy('deliveries.state')
    .execute()
  const count = (state: Delivery['state']) => Number(rows.find((row) => row.state === state)?.count ?? 0)
  return { retrying: count('retrying'), dead: count('dead') }
}

/** URLs that get no more events of the account, because their receiver answered 410 Gone. */
export async function listDisabled(db: Db, owner: string, limit: number): Promise<{ url: string; at: number }[]> {
  return db
    .selectFrom('disabled_webhooks')
    .select(['url', 'disabled_at as at'])
    .where('owner', '=', owner)
    .orderBy('disabled_at', 'desc')
    .limit(limit)
    .execute()
}

interface Webhook {
  owner: string
  url: string
}

export async function disableWebhook(db: Db, { owner, url }: Webhook, now: number): Promise<void> {
  await db
    .insertInto('disabled_webhooks')
    .values({ owner, url, disabled_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function enableWebhook(db: Db, { owner, url }: Webhook): Promise<void> {
  await db.deleteFrom('disabled_webhooks').where('owner', '=', owner).where('url', '=', url).execute()
}

/** Ends the open deliveries to an endpoint that its owner removes; returns the ids of their events. */
export async function cancelDeliveries(
  db: Db,
  { id, accountId }: { id: string; accountId: string },
  now: number,
): Promise<string[]> {
  const rows = await db
    .updateTable('deliveries')
    .set({ state: 'dead', next_at: null, finished_at: now })
    .where('endpoint_id', '=', id)
    .where('state', 'in', OPEN)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhook_endpoints')
          .select('webhook_endpoints.id')
          .where('webhook_endpoints.id', '=', id)
          .where('webhook_endpoints.account_id', '=', accountId),
      ),
    )
    .returning('event_id')
    .execute()
  return rows.map(({ event_id: id }) => id)
}
