import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { describedEndpointRoutes } from '../endpoints/routes.ts'
import { describedWatchRoutes } from '../watches/routes.ts'
import { DELIVERY, EVENT, EVENT_WITH_DELIVERIES, WEBHOOK_SECRET } from '../answers.ts'

const { text, bool, integer, orNull, list, record, words, optional } = answer

export const describedWebhookRoutes: readonly Described[] = [
  {
    method: 'get',
    path: '/api/events',
    id: 'listEvents',
    tag: 'webhooks',
    summary: 'Events of the account in order, for pulling instead of webhooks.',
    who: 'account',
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
    answer: record({ events: list(EVENT), cursor: text, has_more: bool }),
  },
  {
    method: 'get',
    path: '/api/events/{id}',
    id: 'getEvent',
    tag: 'webhooks',
    summary: 'An event and every attempt to deliver it.',
    who: 'account',
    answer: record({ event: EVENT_WITH_DELIVERIES }),
  },
  {
    method: 'post',
    path: '/api/events/{id}/redeliver',
    id: 'redeliverEvent',
    tag: 'webhooks',
    summary: 'Send an event again to all its receivers, or to one `endpoint`.',
    who: 'account',
    body: { schema: record({ endpoint: optional(text) }), example: {} },
    once: true,
    status: 201,
    answer: record({ success: bool, delivery: DELIVERY, deliveries: list(DELIVERY) }),
  },
  {
    method: 'get',
    path: '/api/webhooks/secret',
    id: 'getWebhookSecret',
    tag: 'webhooks',
    summary: 'The last characters of the account’s default secret.',
    who: 'account',
    answer: record({ secret: orNull(WEBHOOK_SECRET) }),
  },
  {
    method: 'post',
    path: '/api/webhooks/secret/rotate',
    id: 'rotateWebhookSecret',
    tag: 'webhooks',
    summary: 'Create a new default secret; it is shown only this once.',
    who: 'account',
    once: true,
    status: 201,
    answer: record({ webhook_secret: text, secret: WEBHOOK_SECRET }),
  },
  {
    method: 'post',
    path: '/api/webhooks/ping',
    id: 'pingWebhook',
    tag: 'webhooks',
    summary: 'Send a test event to an address.',
    who: 'account',
    body: { schema: record({ url: text }), example: { url: 'https://shop.example/paid' } },
    once: true,
    status: 201,
    answer: record({ event: EVENT_WITH_DELIVERIES }),
  },
  ...describedWatchRoutes,
  ...describedEndpointRoutes,
]
