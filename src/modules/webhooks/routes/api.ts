import { answer } from '../../../kernel/answers.ts'
import { type ApiRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import { findAccountSecret, rotateAccountSecret } from '../domain/account-secret.ts'
import { getEvent, listEvents } from '../domain/list-events.ts'
import { ping } from '../domain/ping.ts'
import { redeliver } from '../domain/redeliver.ts'
import { delivery, event, eventWithDeliveries, webhookSecret } from '../answers.ts'
import { describedEndpointRoutes, endpointRoutes } from '../endpoints/routes.ts'
import { describedWatchRoutes } from '../watches/routes.ts'
import type { WebhookContext } from '../context.ts'
import { readEventQuery, readPingUrl, readReceiver, toCursor } from '../wire-fields.ts'

const { text, bool, integer, orNull, list, record, words, optional } = answer

const place = { tag: 'webhooks', scope: 'webhooks', who: 'account' } as const

const routes: readonly ApiRoute<WebhookContext>[] = [
  {
    ...place,
    method: 'get',
    path: '/api/events',
    id: 'listEvents',
    summary: 'Events of the account in order, for pulling instead of webhooks.',
    query: [
      { name: 'since', schema: text, description: 'The `cursor` of an earlier answer, an event id, or unix seconds.' },
      {
        name: 'endpoint',
        schema: text,
        description: 'Only events of addresses that this endpoint watches.',
      },
      {
        name: 'delivered',
        schema: words('true', 'false'),
        description: 'Only those that were, or were not, delivered.',
      },
      { name: 'limit', schema: integer, description: 'How many at most.' },
    ],
    answer: record({ events: list(event.schema), cursor: text, has_more: bool }),
    async run(context, { caller: { accountId }, query }) {
      const { events, position, hasMore } = await listEvents(context, { accountId, ...readEventQuery(query) })
      return { json: { events: events.map(event.show), cursor: toCursor(position), has_more: hasMore } }
    },
  },
  {
    ...place,
    method: 'get',
    path: '/api/events/{id}',
    id: 'getEvent',
    summary: 'An event and every attempt to deliver it.',
    answer: record({ event: eventWithDeliveries.schema }),
    async run(context, { caller: { accountId }, params }) {
      const found = await getEvent(context, { accountId, eventId: params.id! })
      return { json: { event: eventWithDeliveries.show(found) } }
    },
  },
  {
    ...place,
    method: 'post',
    path: '/api/events/{id}/redeliver',
    id: 'redeliverEvent',
    summary: 'Send an event again to all its receivers, or to one `endpoint`.',
    body: { schema: record({ endpoint: optional(text) }), example: {} },
    once: true,
    status: 201,
    answer: record({ success: bool, delivery: delivery.schema, deliveries: list(delivery.schema) }),
    async run(context, { caller: { accountId }, params, body, once }) {
      const endpointId = readReceiver(body())
      const json = await once('events.redeliver', async (idempotency) => {
        const again = { accountId, eventIds: [params.id!], endpointId, idempotency }
        const deliveries = (await redeliver(context, again)).map(delivery.show)
        return { success: true, delivery: deliveries[0]!, deliveries }
      })
      return { status: 201, json }
    },
  },
  {
    ...place,
    method: 'get',
    path: '/api/webhooks/secret',
    id: 'getWebhookSecret',
    summary: 'The last characters of the account’s default secret.',
    answer: record({ secret: orNull(webhookSecret.schema) }),
    async run(context, { caller: { accountId } }) {
      const secret = await findAccountSecret(context, accountId)
      return { json: { secret: secret ? webhookSecret.show(secret) : null } }
    },
  },
  {
    ...place,
    method: 'post',
    path: '/api/webhooks/secret/rotate',
    id: 'rotateWebhookSecret',
    summary: 'Create a new default secret; it is shown only this once.',
    once: true,
    status: 201,
    answer: record({ webhook_secret: text, secret: webhookSecret.schema }),
    proof: true,
    async run(context, { caller, once }) {
      const json = await once('webhooks.rotate-secret', async (idempotency) => {
        const secret = await rotateAccountSecret(context, caller, idempotency)
        return { webhook_secret: secret.current, secret: webhookSecret.show(secret) }
      })
      return { status: 201, json }
    },
  },
  {
    ...place,
    method: 'post',
    path: '/api/webhooks/ping',
    id: 'pingWebhook',
    summary: 'Send a test event to an address.',
    body: { schema: record({ url: text }), example: { url: 'https://shop.example/paid' } },
    once: true,
    status: 201,
    answer: record({ event: eventWithDeliveries.schema }),
    async run(context, { caller: { accountId }, body, once }) {
      const json = await once('webhooks.ping', async (idempotency) => ({
        event: eventWithDeliveries.show(
          await ping(context, { accountId, to: { url: readPingUrl(body()) }, idempotency }),
        ),
      }))
      return { status: 201, json }
    },
  },
]

/** Events, their deliveries and the signing secret; each account sees its own. */
export const webhookRoutes = (context: WebhookContext) => [...routesOf(routes, context), ...endpointRoutes(context)]
export const describedWebhookRoutes = [...describedOf(routes), ...describedWatchRoutes, ...describedEndpointRoutes]
