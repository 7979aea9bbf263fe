import type { Json, JsonObject } from '../../kernel/shape.ts'
import type { AttemptRecord, DeliveryRecord } from './deliveries-store.ts'
import type { EventWithDeliveries } from './domain/list-events.ts'
import type { EventRecord } from './store.ts'

export const toTime = (milliseconds: number | null) =>
  milliseconds === null ? null : new Date(milliseconds).toISOString()

/** An event as its owner sees it; `payload` is null once the body was deleted. */
export function showEvent(event: EventRecord): JsonObject {
  const { id, type, subject, body, url, createdAt, deliveredAt } = event
  return {
    id,
    type,
    subject,
    created_at: toTime(createdAt),
    delivered: deliveredAt !== null,
    delivered_at: toTime(deliveredAt),
    url,
    payload: body === null ? null : (JSON.parse(body) as Json),
  }
}

export function showEventWithDeliveries({ deliveries, ...event }: EventWithDeliveries): JsonObject {
  return { ...showEvent(event), deliveries: deliveries.map(showDelivery) }
}

export function showDelivery(delivery: DeliveryRecord): JsonObject {
  const { id, endpointId, cause, state, nextAt, createdAt, finishedAt, attempts } = delivery
  return {
    id,
    endpoint: endpointId,
    cause,
    state,
    created_at: toTime(createdAt),
    next_at: toTime(nextAt),
    finished_at: toTime(finishedAt),
    attempts: attempts.map(showAttempt),
  }
}

function showAttempt({ attempt, status, error, milliseconds, response, at, headers }: AttemptRecord): JsonObject {
  const sent = headers === null ? null : (JSON.parse(headers) as JsonObject)
  return { attempt, at: toTime(at), status, error, ms: milliseconds, response, headers: sent }
}
