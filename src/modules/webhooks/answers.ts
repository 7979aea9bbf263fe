import { answer } from '../../kernel/answers.ts'

/* Events and their deliveries as the REST interface shows them. */

const { text, bool, integer, orNull, list, record, words } = answer

export const DELIVERY = record({
  id: text,
  endpoint: orNull(text),
  cause: words('event', 'redelivery', 'replay', 'test'),
  state: words('queued', 'sending', 'retrying', 'delivered', 'dead'),
  created_at: text,
  next_at: orNull(text),
  finished_at: orNull(text),
  attempts: list(
    record({
      attempt: integer,
      at: text,
      status: orNull(integer),
      error: orNull(text),
      ms: answer.number,
      response: text,
      headers: orNull(answer.object),
    }),
  ),
})

const EVENT_MEMBERS = {
  id: text,
  type: text,
  subject: text,
  created_at: text,
  delivered: bool,
  delivered_at: orNull(text),
  url: orNull(text),
  payload: orNull(answer.object),
}

export const EVENT = record(EVENT_MEMBERS)
export const EVENT_WITH_DELIVERIES = record({ ...EVENT_MEMBERS, deliveries: list(DELIVERY) })

export const WEBHOOK_SECRET = record({ last4: text, created_at: text, previous_until: orNull(text) })

/** The body of a test event. */
export const PING_EVENT = record({ id: text, type: words('ping'), created_unix: answer.unix })
