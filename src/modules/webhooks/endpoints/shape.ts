import type { JsonObject } from '../../../kernel/shape.ts'
import type { SecretCtx } from '../domain/account-secret.ts'
import { showDelivery, toTime } from '../shape-event.ts'
import { withoutQuery } from '../store.ts'
import type { LoggedDelivery } from './log-store.ts'
import type { Replay } from './replays-store.ts'
import { openEndpointSecret } from './secret.ts'
import type { Endpoint } from './store.ts'

const SHOWN_CHARACTERS = 4

export type EndpointStatus = 'enabled' | 'paused' | 'disabled'

export function statusOf({ isEnabled, disabledReason }: Endpoint): EndpointStatus {
  if (isEnabled) return 'enabled'
  return disabledReason === null ? 'paused' : 'disabled'
}

/** Enough to recognise a secret by, and nothing to sign with. One that cannot be read any more ends with nothing. */
export function secretOf(ctx: SecretCtx, { id, secret }: Endpoint) {
  const previousUntil = (secret.previousUntil ?? 0) > ctx.clock.now() ? secret.previousUntil : null
  try {
    const { current } = openEndpointSecret(ctx, id, secret)
    return { last4: current.slice(-SHOWN_CHARACTERS), createdAt: secret.createdAt, previousUntil }
  } catch (error) {
    ctx.failures.failed('webhooks.secret')(error)
    return { last4: '', createdAt: secret.createdAt, previousUntil }
  }
}

/** An endpoint as its owner sees it: never its secret, nor the query of its address, which may hold one. */
export function showEndpoint(ctx: SecretCtx, endpoint: Endpoint): JsonObject {
  const { id, url, description, events, metadata, madeWith, isEnabled, disabledReason, failingSince } = endpoint
  const secret = secretOf(ctx, endpoint)
  return {
    id,
    url: withoutQuery(url),
    description,
    events,
    filter: metadata || madeWith ? { ...(metadata && { metadata }), ...(madeWith && { made_with: madeWith }) } : null,
    enabled: isEnabled,
    status: statusOf(endpoint),
    disabled_reason: disabledReason,
    failing_since: toTime(failingSince),
    secret_last4: secret.last4,
    secret_created_at: toTime(secret.createdAt),
    previous_secret_until: toTime(secret.previousUntil),
    created_at: toTime(endpoint.createdAt),
    updated_at: toTime(endpoint.updatedAt),
  }
}

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
