import type { JsonObject } from '../../../kernel/shape.ts'
import { toTime } from '../shape-event.ts'
import { toCursor } from '../wire-fields.ts'
import type { addWatches } from './change.ts'
import type { Watch } from './store.ts'

export const showAdded = ({
  endpointId,
  added,
  watched,
  total,
  position,
}: Awaited<ReturnType<typeof addWatches>>): JsonObject => ({
  endpoint: endpointId,
  added,
  watched,
  total,
  cursor: toCursor(position),
})

export const showWatch = ({
  address,
  endpointId,
  createdAt,
  told,
  activeAt,
  trouble,
  troubleSince,
}: Watch): JsonObject => ({
  address,
  endpoint: endpointId,
  created_at: toTime(createdAt),
  events: told,
  last_event_at: toTime(told === 0 ? null : activeAt),
  trouble,
  trouble_since: toTime(troubleSince),
})
