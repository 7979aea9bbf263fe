import type { JsonObject } from '../../../kernel/shape.ts'
import { showDelivery, toTime } from '../shape-event.ts'
import type { LoggedDelivery } from './log-store.ts'
import type { Replay } from './replays-store.ts'

export function showReplay({ id, endpointId, events, missedOnly, queued, state, createdAt, finishedAt }: Replay) {
  return {
    id,
    endpoint: endpointId,
    events,
    missed: missedOnly,
    queued,
    state,
    created_at: toTime(createdAt),
    finished_at: toTime(finishedAt),
  }
}

export const showLogged = ({ type, subject, ...delivery }: LoggedDelivery): JsonObject => ({
  ...showDelivery(delivery),
  event: delivery.eventId,
  type,
  subject,
})
