import { type Actor } from '../../../kernel/actor.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { insertAudit } from '../../accounts/index.ts'
import { cancelDeliveries } from '../deliveries-store.ts'
import { createSecret } from '../domain/account-secret.ts'
import { endpointNotFound, tooManyEndpoints } from '../errors.ts'
import type { WebhookContext } from '../context.ts'
import { lockEvents, markEventsDelivered } from '../store.ts'
import { forgetWatchesOf } from '../watches/forget.ts'
import { type Endpoint, type EndpointValues, endpoints } from './endpoint.ts'
import { stopReplays } from './replays-store.ts'
import { encryptEndpointSecret } from './sealed.ts'
import { getEndpoint } from './secret.ts'
import { type ChangedEndpoint, giveBackPlace, takePlace } from './store.ts'

const ENDPOINTS_MAX = 20
const EVENTS_AT_ONCE = 500

/** Makes an endpoint and returns its secret, for the only time. A repeated request finds the same endpoint. */
export async function makeEndpoint(
  context: WebhookContext,
  { accountId, actor }: { accountId: string; actor: Actor },
  terms: EndpointValues,
  idempotency?: Idempotency,
): Promise<{ endpoint: Endpoint; secret: string }> {
  const made = idempotency?.made as { id: string; secret: string } | undefined
  if (made) return { endpoint: await getEndpoint(context, { id: made.id, accountId }), secret: made.secret }
  return inTx(context, async (tx) => {
    const now = tx.clock.now()
    const id = tx.ids.next('we')
    const secret = createSecret(tx.random)
    const endpoint: Endpoint = {
      id,
      accountId,
      ...terms,
      disabledReason: null,
      failingSince: null,
      sealed: encryptEndpointSecret(tx, id, secret),
      sealedAt: now,
      previousSealed: null,
      previousUntil: null,
      createdAt: now,
      updatedAt: now,
    }
    if (!(await takePlace(tx.db, accountId, ENDPOINTS_MAX))) throw tooManyEndpoints(ENDPOINTS_MAX)
    await endpoints.insert(tx.db, endpoint)
    await insertAudit(tx, { actor, accountId, what: 'endpoint.made', detail: { id } })
    await idempotency?.record(tx.db, { id, secret })
    return { endpoint, secret }
  })
}

/** Changes an endpoint. Enabling it declares that it works again, so its failures are cleared. */
export async function changeEndpoint(
  context: WebhookContext,
  { id, accountId, actor }: ChangedEndpoint,
  said: (held: Endpoint) => Partial<EndpointValues>,
): Promise<Endpoint> {
  return inTx(context, async (tx) => {
    const held = await endpoints.lock(tx.db, { id, owner: accountId })
    if (!held) throw endpointNotFound()
    const terms = said(held)
    const isFresh = terms.isEnabled !== undefined
    const changed: Endpoint = {
      ...held,
      ...terms,
      disabledReason: isFresh ? null : held.disabledReason,
      failingSince: terms.isEnabled === true ? null : held.failingSince,
      updatedAt: tx.clock.now(),
    }
    await endpoints.update(tx.db, changed)
    if (!changed.isEnabled) await stopReplays(tx.db, id, changed.updatedAt)
    await insertAudit(tx, { actor, accountId, what: 'endpoint.changed', detail: { id } })
    return changed
  })
}

/** Removes an endpoint and stops its open deliveries. The results of the others stay readable with their events. */
export async function removeEndpoint(context: WebhookContext, own: ChangedEndpoint): Promise<void> {
  const { id, accountId, actor } = own
  await inTx(context, async (tx) => {
    // Locks rows in the same order as attempts do: deliveries, events, endpoints.
    const now = tx.clock.now()
    const eventIds = await cancelDeliveries(tx.db, own, now)
    const parts = Array.from({ length: Math.ceil(eventIds.length / EVENTS_AT_ONCE) }, (_, at) =>
      eventIds.slice(at * EVENTS_AT_ONCE, (at + 1) * EVENTS_AT_ONCE),
    )
    for (const part of parts) await lockEvents(tx.db, part)
    if (!(await endpoints.remove(tx.db, { id, owner: accountId, now }))) throw endpointNotFound()
    // The remaining receivers may all have accepted these events, which counts as delivered.
    for (const part of parts) await markEventsDelivered(tx.db, part, now)
    await stopReplays(tx.db, id, now)
    await giveBackPlace(tx.db, accountId)
    await forgetWatchesOf(tx, { accountId, endpointId: id })
    await insertAudit(tx, { actor, accountId, what: 'endpoint.deleted', detail: { id } })
  })
}
