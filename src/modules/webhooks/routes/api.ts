import type { Route } from '../../../kernel/route.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { type OpenedSecret, findAccountSecret, rotateAccountSecret } from '../domain/account-secret.ts'
import { getEvent, listEvents } from '../domain/list-events.ts'
import { ping } from '../domain/ping.ts'
import { redeliver } from '../domain/redeliver.ts'
import { endpointRoutes } from '../endpoints/routes.ts'
import type { WebhookRoom } from '../room.ts'
import { showDelivery, showEvent, showEventWithDeliveries } from '../shape-event.ts'
import { readEventQuery, readPingUrl, readReceiver, toCursor } from '../wire-fields.ts'

const SHOWN_CHARACTERS = 4

/** Routes for events, their deliveries and the signing secret; each account sees its own. */
export function webhookRoutes(room: WebhookRoom): readonly Route[] {
  return [...eventRoutes(room), ...secretRoutes(room), ...endpointRoutes(room)]
}

function eventRoutes(room: WebhookRoom): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/events',
      door: 'account',
      scope: 'webhooks',
      async run({ caller: { accountId }, query }) {
        const { events, position, hasMore } = await listEvents(room, { accountId, ...readEventQuery(query) })
        return { json: { events: events.map(showEvent), cursor: toCursor(position), has_more: hasMore } }
      },
    },
    {
      method: 'GET',
      path: '/api/events/:id',
      door: 'account',
      scope: 'webhooks',
      async run({ caller: { accountId }, params }) {
        const event = await getEvent(room, { accountId, eventId: params.id! })
        return { json: { event: showEventWithDeliveries(event) } }
      },
    },
    {
      method: 'POST',
      path: '/api/events/:id/redeliver',
      door: 'account',
      scope: 'webhooks',
      async run({ caller: { accountId }, params, body, once }) {
        const endpointId = readReceiver(body())
        const json = await once('events.redeliver', async (idempotency) => {
          const again = { accountId, eventIds: [params.id!], endpointId, idempotency }
          const deliveries = (await redeliver(room, again)).map(showDelivery)
          return { success: true, delivery: deliveries[0]!, deliveries }
        })
        return { status: 201, json }
      },
    },
  ]
}

function secretRoutes(room: WebhookRoom): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/webhooks/secret',
      door: 'account',
      scope: 'webhooks',
      async run({ caller: { accountId } }) {
        const secret = await findAccountSecret(room, accountId)
        return { json: { secret: secret ? showSecret(secret) : null } }
      },
    },
    {
      method: 'POST',
      path: '/api/webhooks/secret/rotate',
      door: 'account',
      scope: 'webhooks',
      proof: true,
      async run({ caller, once }) {
        const json = await once('webhooks.rotate-secret', async (idempotency) => {
          const secret = await rotateAccountSecret(room, caller, idempotency)
          return { webhook_secret: secret.current, secret: showSecret(secret) }
        })
        return { status: 201, json }
      },
    },
    {
      method: 'POST',
      path: '/api/webhooks/ping',
      door: 'account',
      scope: 'webhooks',
      async run({ caller: { accountId }, body, once }) {
        const json = await once('webhooks.ping', async (idempotency) => ({
          event: showEventWithDeliveries(
            await ping(room, { accountId, to: { url: readPingUrl(body()) }, idempotency }),
          ),
        }))
        return { status: 201, json }
      },
    },
  ]
}

/** Enough to recognise a secret by, but not to sign with. */
function showSecret({ current, createdAt, previousUntil }: OpenedSecret): JsonObject {
  return {
    last4: current.slice(-SHOWN_CHARACTERS),
    created_at: new Date(createdAt).toISOString(),
    previous_until: previousUntil === undefined ? null : new Date(previousUntil).toISOString(),
  }
}
