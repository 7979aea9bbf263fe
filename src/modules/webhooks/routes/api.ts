import type { Outbound } from '../kernel/ports.ts'
import type { JsonObject } from '../kernel/shape.ts'
import {
  type AccountSecret,
  type SecretCtx,
  findAccountSecret,
  getEvent,
  listEvents,
  ping,
  readEventQuery,
  readPingUrl,
  redeliver,
  rotateAccountSecret,
  showDelivery,
  showEvent,
  showEventWithDeliveries,
  toCursor,
} from '../modules/webhooks/index.ts'
import { onceFor } from './once-for.ts'
import type { RestPart } from './rest.ts'

const SHOWN_CHARACTERS = 4

/** Events to be pulled, their deliveries, and what signs them; each account sees its own. */
export function webhookRoutes(ctx: SecretCtx & { outbound: Outbound }): RestPart {
  return (api, forAccount) => {
    api.get(
      '/events',
      forAccount(async ({ caller: { accountId }, query }) => {
        const { events, position, hasMore } = await listEvents(ctx, { accountId, ...readEventQuery(query) })
        return { events: events.map(showEvent), cursor: toCursor(position), has_more: hasMore }
      }),
    )
    api.get(
      '/events/:id',
      forAccount(async ({ caller: { accountId }, params }) => ({
        event: showEventWithDeliveries(await getEvent(ctx, { accountId, eventId: params.id! })),
      })),
    )
    api.post(
      '/events/:id/redeliver',
      forAccount((call, reply) => {
        const { accountId } = call.caller
        void reply.code(201)
        return onceFor(ctx, { action: 'events.redeliver', call, reply }, async (deed) => {
          const [delivery] = await redeliver(ctx, { accountId, eventIds: [call.params.id!], deed })
          return { success: true, delivery: showDelivery(delivery!) }
        })
      }),
    )
    api.get(
      '/webhooks/secret',
      forAccount(async ({ caller: { accountId } }) => {
        const secret = await findAccountSecret(ctx, accountId)
        return { secret: secret ? showSecret(secret) : null }
      }),
    )
    api.post(
      '/webhooks/secret/rotate',
      forAccount((call, reply) => {
        void reply.code(201)
        return onceFor(ctx, { action: 'webhooks.rotate-secret', call, reply }, async (deed) => {
          const secret = await rotateAccountSecret(ctx, call.caller.accountId, deed)
          return { webhook_secret: secret.current, secret: showSecret(secret) }
        })
      }),
    )
    api.post(
      '/webhooks/ping',
      forAccount((call, reply) => {
        const { accountId } = call.caller
        void reply.code(201)
        return onceFor(ctx, { action: 'webhooks.ping', call, reply }, async (deed) => ({
          event: showEventWithDeliveries(await ping(ctx, { accountId, url: readPingUrl(call.body), deed })),
        }))
      }),
    )
  }
}

/** Enough to recognise a secret by, and nothing to sign with. */
function showSecret({ current, createdAt, previousUntil }: AccountSecret): JsonObject {
  return {
    last4: current.slice(-SHOWN_CHARACTERS),
    created_at: new Date(createdAt).toISOString(),
    previous_until: previousUntil === undefined ? null : new Date(previousUntil).toISOString(),
  }
}
