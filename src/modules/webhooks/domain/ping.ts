import type { Idempotency } from '../../../kernel/idempotency.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { insertDelivery } from '../deliveries-store.ts'
import { getEndpoint } from '../endpoints/secret.ts'
import { urlRefused } from '../errors.ts'
import type { WebhookContext } from '../context.ts'
import { PING } from '../store.ts'
import { type EventWithDeliveries, getEvent } from './list-events.ts'
import { insertNew } from './record-event.ts'
import { enqueueDelivery } from './wake-delivery.ts'

/** The test is attempted at once; this later job, after more time than an attempt takes, is for a process that dies meanwhile. */
const OTHERWISE_AFTER = 15_000

interface Test {
  accountId: string
  /** A URL, signed with the account's secret, or an endpoint, signed with its own. */
  to: { url: string } | { endpointId: string }
  idempotency?: Idempotency | undefined
}

/** Sends a test event once and returns its result. A failure raises no alarm. */
export async function ping(
  context: WebhookContext,
  { accountId, to, idempotency }: Test,
): Promise<EventWithDeliveries> {
  const made = idempotency?.made as { id: string } | undefined
  if (made) return getEvent(context, { accountId, eventId: made.id })
  if ('endpointId' in to) await getEndpoint(context, { id: to.endpointId, accountId })
  else {
    const refused = context.outbound.check(to.url)
    if (refused !== undefined) throw urlRefused('url', refused)
  }
  const { eventId, deliveryId } = await record(context, { accountId, to, idempotency })
  await context.attempt(deliveryId)
  return getEvent(context, { accountId, eventId })
}

function record(context: WebhookContext, { accountId, to, idempotency }: Test) {
  const [url, endpointId] = 'url' in to ? [to.url, null] : [null, to.endpointId]
  return inTx(context, async (tx) => {
    const [eventId, now] = [tx.ids.next('evt'), tx.clock.now()]
    const body = JSON.stringify({ id: eventId, type: PING, created_unix: Math.floor(now / 1000) })
    const event = { id: eventId, accountId, subject: accountId, type: PING, dedupeKey: eventId, body }
    await insertNew(tx, { ...event, url, secret: null })
    const delivery = { id: tx.ids.next('dlv'), endpointId }
    await insertDelivery(tx.db, { ...delivery, eventId, cause: 'test', now, nextAt: now })
    await enqueueDelivery(tx, delivery, now + OTHERWISE_AFTER)
    await idempotency?.record(tx.db, { id: eventId })
    return { eventId, deliveryId: delivery.id }
  })
}
