import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { type DeliveryRecord, findOpen, listDeliveries, listReceivers, markDueAt } from '../deliveries-store.ts'
import { getEndpoint } from '../endpoints/secret.ts'
import { bodyForgotten, eventNotFound, eventWithoutUrl } from '../errors.ts'
import { type EventRecord, findEvent } from '../store.ts'
import { beginDelivery, enqueueDelivery } from './wake-delivery.ts'

interface Again {
  accountId: string
  eventIds: readonly string[]
  /** The endpoint that is to get them; otherwise everyone to whom they were sent. */
  endpointId?: string | undefined
  idempotency: Idempotency | undefined
}

/**
 * Sends events again, with the same ids and bytes and new retry schedules. A delivery that waits for its next attempt is attempted now
 * instead, because the receiver would get both.
 */
export async function redeliver(ctx: StoreCtx, again: Again): Promise<DeliveryRecord[]> {
  const { accountId, eventIds, endpointId, idempotency } = again
  const made = idempotency?.made as { ids: string[] } | undefined
  if (made) return listMade(ctx, eventIds, made.ids)
  if (endpointId !== undefined) await getEndpoint(ctx, { id: endpointId, accountId })
  return inTx(ctx, async (tx) => {
    const ids: string[] = []
    for (const eventId of eventIds) {
      const event = await findEvent(tx.db, { accountId, eventId })
      if (!event) throw eventNotFound()
      if (event.body === null) throw bodyForgotten()
      for (const receiver of await receiversOf(tx, event, endpointId)) {
        ids.push(await redeliverOne(tx, { eventId, endpointId: receiver }))
      }
    }
    await idempotency?.record(tx.db, { ids })
    tx.notifyAccount(accountId, ['webhooks'])
    return listMade(tx, eventIds, ids)
  })
}

/** Null means the event's own URL, and comes first. */
async function receiversOf({ db }: StoreCtx, event: EventRecord, endpointId: string | undefined) {
  if (endpointId !== undefined) return [endpointId]
  const receivers = [...(event.url === null ? [] : [null]), ...(await listReceivers(db, event.id))]
  if (receivers.length === 0) throw eventWithoutUrl()
  return receivers
}

interface Addressed {
  eventId: string
  endpointId: string | null
}

async function redeliverOne(tx: StoreCtx, addressed: Addressed): Promise<string> {
  const open = await findOpen(tx.db, addressed)
  return open ? hasten(tx, { ...open, endpointId: addressed.endpointId }) : begin(tx, addressed)
}

async function listMade({ db }: StoreCtx, eventIds: readonly string[], ids: readonly string[]) {
  const deliveries = await listDeliveries(db, eventIds)
  return ids.map((id) => deliveries.find((delivery) => delivery.id === id)!)
}

async function hasten(tx: StoreCtx, open: { id: string; nextAt: number; endpointId: string | null }): Promise<string> {
  const now = tx.clock.now()
  if (open.nextAt > now && (await markDueAt(tx.db, open, now))) await enqueueDelivery(tx, open, now)
  return open.id
}

function begin(tx: StoreCtx, addressed: Addressed): Promise<string> {
  const now = tx.clock.now()
  return beginDelivery(tx, { ...addressed, cause: 'redelivery', now, nextAt: now })
}
