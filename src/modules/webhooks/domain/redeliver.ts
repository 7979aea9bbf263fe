import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { type DeliveryRecord, findOpen, insertDelivery, listDeliveries, markDueAt } from '../deliveries-store.ts'
import { bodyForgotten, eventNotFound, eventWithoutUrl } from '../errors.ts'
import { findEvent } from '../store.ts'
import { enqueueDelivery } from './wake-delivery.ts'

/**
 * Sends events again: the same ids and the same bytes, with schedules of their own. A delivery that still waits for its
 * next attempt is tried now instead, because two would both reach the receiver.
 */
export async function redeliver(
  ctx: StoreCtx,
  {
    accountId,
    eventIds,
    idempotency,
  }: { accountId: string; eventIds: readonly string[]; idempotency: Idempotency | undefined },
): Promise<DeliveryRecord[]> {
  const made = idempotency?.made as { ids: string[] } | undefined
  if (made) return listMade(ctx, eventIds, made.ids)
  return inTx(ctx, async (tx) => {
    const ids: string[] = []
    for (const eventId of eventIds) ids.push(await redeliverOne(tx, accountId, eventId))
    await idempotency?.record(tx.db, { ids })
    return listMade(tx, eventIds, ids)
  })
}

async function redeliverOne(tx: StoreCtx, accountId: string, eventId: string): Promise<string> {
  const event = await findEvent(tx.db, { accountId, eventId })
  if (!event) throw eventNotFound()
  if (event.url === null) throw eventWithoutUrl()
  if (event.body === null) throw bodyForgotten()
  const open = await findOpen(tx.db, eventId)
  return open ? hasten(tx, open) : begin(tx, eventId)
}

async function listMade({ db }: StoreCtx, eventIds: readonly string[], ids: readonly string[]) {
  const deliveries = await listDeliveries(db, eventIds)
  return ids.map((id) => deliveries.find((delivery) => delivery.id === id)!)
}

async function hasten(tx: StoreCtx, { id, nextAt }: { id: string; nextAt: number }): Promise<string> {
  const now = tx.clock.now()
  if (nextAt > now && (await markDueAt(tx.db, { id, nextAt }, now))) await enqueueDelivery(tx, id)
  return id
}

async function begin(tx: StoreCtx, eventId: string): Promise<string> {
  const id = tx.ids.next('dlv')
  await insertDelivery(tx.db, { id, eventId, cause: 'redelivery', now: tx.clock.now() })
  await enqueueDelivery(tx, id)
  return id
}
