import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { DELIVERY, EVENT_WITH_DELIVERIES } from '../answers.ts'

const { text, bool, integer, list, record, orNull, optional, words } = answer
const PATH = '/api/webhook-endpoints'
const tag = 'webhooks'
const who = 'account'

const FILTER = record({ metadata: optional(answer.object), made_with: optional(words('any', 'public_key')) })

const MEMBERS = {
  id: text,
  url: text,
  description: orNull(text),
  events: list(text),
  filter: orNull(FILTER),
  enabled: bool,
  status: words('enabled', 'paused', 'disabled'),
  disabled_reason: orNull(words('failing', 'gone')),
  failing_since: orNull(text),
  secret_last4: text,
  secret_created_at: text,
  previous_secret_until: orNull(text),
  created_at: text,
  updated_at: text,
}
const ENDPOINT = record(MEMBERS)
const WITH_SECRET = record({ ...MEMBERS, secret: text })
const REPLAY = record({
  id: text,
  endpoint: text,
  events: list(text),
  missed: bool,
  queued: integer,
  state: words('running', 'done', 'stopped'),
  created_at: text,
  finished_at: orNull(text),
})
const LOGGED = record({ ...DELIVERY.properties, event: text, type: text, subject: text })

const TERMS = {
  events: optional(list(text)),
  filter: optional(orNull(FILTER)),
  description: optional(orNull(text)),
  enabled: optional(bool),
}
const EXAMPLE = { url: 'https://shop.example/hooks', events: ['payment.completed', 'refund.sent'] }

export const describedEndpointRoutes: readonly Described[] = [
  {
    method: 'get',
    path: PATH,
    id: 'listWebhookEndpoints',
    tag,
    summary: 'Endpoints that receive events of the account, in addition to the webhooks of checkouts.',
    who,
    answer: record({ endpoints: list(ENDPOINT) }),
  },
  {
    method: 'post',
    path: PATH,
    id: 'createWebhookEndpoint',
    tag,
    summary: 'Create an endpoint, up to 20; its secret is shown only this once.',
    who,
    body: { schema: record({ url: text, ...TERMS }), example: EXAMPLE },
    once: true,
    status: 201,
    answer: WITH_SECRET,
    refuses: [403],
  },
  {
    method: 'get',
    path: `${PATH}/{id}`,
    id: 'getWebhookEndpoint',
    tag,
    summary: 'One endpoint.',
    who,
    answer: ENDPOINT,
  },
  {
    method: 'put',
    path: `${PATH}/{id}`,
    id: 'changeWebhookEndpoint',
    tag,
    summary: 'Change the fields in the body; `enabled` pauses and resumes it.',
    who,
    body: { schema: record({ url: optional(text), ...TERMS }), example: { enabled: false } },
    answer: ENDPOINT,
  },
  {
    method: 'delete',
    path: `${PATH}/{id}`,
    id: 'deleteWebhookEndpoint',
    tag,
    summary: 'Delete an endpoint. Pending deliveries to it stop.',
    who,
    answer: record({ success: bool, deleted: bool, id: text }),
  },
  {
    method: 'post',
    path: `${PATH}/{id}/rotate`,
    id: 'rotateWebhookEndpointSecret',
    tag,
    summary: 'Create a new secret, shown only this once. The old one also signs for 24 hours.',
    who,
    once: true,
    status: 201,
    answer: WITH_SECRET,
  },
  {
    method: 'post',
    path: `${PATH}/{id}/test`,
    id: 'testWebhookEndpoint',
    tag,
    summary: 'Send a test event once, and see what the endpoint answers.',
    who,
    once: true,
    status: 201,
    answer: record({ event: EVENT_WITH_DELIVERIES }),
  },
  {
    method: 'get',
    path: `${PATH}/{id}/deliveries`,
    id: 'listWebhookEndpointDeliveries',
    tag,
    summary: 'Deliveries to an endpoint and their results, newest first.',
    who,
    query: [
      { name: 'limit', schema: integer, description: 'Up to 100; 25 by default.' },
      { name: 'cursor', schema: text, description: '`next_cursor` of the previous page.' },
    ],
    answer: record({ deliveries: list(LOGGED), next_cursor: orNull(text) }),
  },
  {
    method: 'post',
    path: `${PATH}/{id}/replay`,
    id: 'replayToWebhookEndpoint',
    tag,
    summary: 'Send the events of a period again, up to 10,000, one after another.',
    who,
    body: {
      schema: record({
        from_unix: answer.oneOf(integer, text),
        to_unix: optional(answer.oneOf(integer, text)),
        events: optional(list(text)),
        missed: optional(bool),
      }),
      example: { from_unix: 1794796443, missed: true },
    },
    once: true,
    status: 201,
    answer: record({ replay: REPLAY }),
    refuses: [403, 409],
  },
  {
    method: 'get',
    path: `${PATH}/{id}/replays`,
    id: 'listWebhookReplays',
    tag,
    summary: 'The newest replays to an endpoint, and their progress.',
    who,
    answer: record({ replays: list(REPLAY) }),
  },
]
