import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { type DeliveryRecord, findOpen, insertDelivery, listDeliveries, markDueAt } from '../deliveries-store.ts'
import { bodyForgotten, eventNotFound, eventWithoutUrl } from '../errors.ts'
import { findEvent } from '../store.ts'
import { enqueueDelivery } from './wake-delivery.ts'

/**
 * Sends an event again: the same id and the same bytes, with a schedule of its own. A delivery that still waits for its
 * next attempt is tried now instead, because two would both reach the receiver.
 */
export function redeliver(
  ctx: StoreCtx,
  { accountId, eventId }: { accountId: string; eventId: string },
): Promise<DeliveryRecord> {
  return inTx(ctx, async (tx) => {
    const event = await findEvent(tx.db, { accountId, eventId })
    if (!event) throw eventNotFound()
    if (event.url === null) throw eventWithoutUrl()
    if (event.body === null) throw bodyForgotten()
    const open = await findOpen(tx.db, eventId)
    const id = open ? await hasten(tx, open) : await begin(tx, eventId)
    return (await listDeliveries(tx.db, [eventId])).find((delivery) => delivery.id === id)!
  })
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
