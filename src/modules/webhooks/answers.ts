import { answer } from '../../kernel/answers.ts'
import type { Json } from '../../kernel/shape.ts'
import { iso, isoOrNull, view } from '../../kernel/view.ts'
import type { AttemptRecord, DeliveryRecord } from './deliveries-store.ts'
import type { OpenedSecret } from './domain/account-secret.ts'
import type { EventWithDeliveries } from './domain/list-events.ts'
import type { EventRecord } from './store.ts'

/* Events and their deliveries as the REST interface shows them. */

const { text, bool, integer, orNull, list, record, words } = answer
const SHOWN_CHARACTERS = 4
const parsed = (json: string | null) => (json === null ? null : (JSON.parse(json) as Json))

const attempt = view<AttemptRecord>()({
  attempt: integer,
  at: iso('at'),
  status: orNull(integer),
  error: orNull(text),
  ms: [answer.number, ({ milliseconds }) => milliseconds],
  response: text,
  headers: [orNull(answer.object), ({ headers }) => parsed(headers)],
})

export const delivery = view<DeliveryRecord>()({
  id: text,
  endpoint: [orNull(text), ({ endpointId }) => endpointId],
  cause: words('event', 'redelivery', 'replay', 'test'),
  state: words('queued', 'sending', 'retrying', 'delivered', 'dead'),
  created_at: iso('createdAt'),
  next_at: isoOrNull('nextAt'),
  finished_at: isoOrNull('finishedAt'),
  attempts: [list(attempt.schema), ({ attempts }) => attempts.map((one) => attempt.show(one))],
})

/** An event as its owner sees it; `payload` is null once the body was deleted. */
export const event = view<EventRecord>()({
  id: text,
  type: text,
  subject: text,
  created_at: iso('createdAt'),
  delivered: [bool, ({ deliveredAt }) => deliveredAt !== null],
  delivered_at: isoOrNull('deliveredAt'),
  url: orNull(text),
  payload: [orNull(answer.object), ({ body }) => parsed(body)],
})

export const eventWithDeliveries = view<EventWithDeliveries>()({
  ...event.members,
  deliveries: [list(delivery.schema), ({ deliveries }) => deliveries.map((one) => delivery.show(one))],
})

/** Enough of a secret to recognise it by, but not to sign with. */
export const webhookSecret = view<OpenedSecret>()({
  last4: [text, ({ current }) => current.slice(-SHOWN_CHARACTERS)],
  created_at: iso('createdAt'),
  previous_until: isoOrNull('previousUntil'),
})

/** The body of a test event. */
export const PING_EVENT = record({ id: text, type: words('ping'), created_unix: answer.unix })
