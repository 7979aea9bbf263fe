import { readCursor, toCursor } from '../../../kernel/cursor.ts'
import { readWhole } from '../../../kernel/read-whole.ts'
import type { AccountRequest, Route } from '../../../kernel/route.ts'
import { ping } from '../domain/ping.ts'
import type { WebhookRoom } from '../room.ts'
import { showEventWithDeliveries } from '../shape-event.ts'
import { changeEndpoint, makeEndpoint, readChange, readNewEndpoint, removeEndpoint } from './change.ts'
import { readReplay } from './fields.ts'
import { listLog } from './log-store.ts'
import { beginReplay } from './replay.ts'
import { listReplays } from './replays-store.ts'
import { getEndpoint, rotateEndpointSecret } from './secret.ts'
import { showEndpoint, showLogged, showReplay } from './shape.ts'
import { listEndpoints } from './store.ts'

const PATH = '/api/webhook-endpoints'
const LIMIT_DEFAULT = 25
const LIMIT_MAX = 100
const REPLAYS_SHOWN = 25

const ownOf = ({ params, caller: { accountId, actor } }: AccountRequest) => ({ id: params.id!, accountId, actor })

/** Endpoints of an account under `/api/webhook-endpoints`. */
export const endpointRoutes = (room: WebhookRoom): readonly Route[] => [...listRoutes(room), ...oneRoutes(room)]

function listRoutes(room: WebhookRoom): readonly Route[] {
  return [
    {
      door: 'account',
      scope: 'webhooks',
      method: 'GET',
      path: PATH,
      async run({ caller: { accountId } }) {
        const endpoints = await listEndpoints(room.db, accountId)
        return { json: { endpoints: endpoints.map((endpoint) => showEndpoint(room, endpoint)) } }
      },
    },
    {
      door: 'account',
      scope: 'webhooks',
      proof: true,
      method: 'POST',
      path: PATH,
      async run({ caller, body, once }) {
        const terms = readNewEndpoint(room, body())
        const json = await once('webhook-endpoints.create', async (idempotency) => {
          const { endpoint, secret } = await makeEndpoint(room, caller, terms, idempotency)
          return { ...showEndpoint(room, endpoint), secret }
        })
        return { status: 201, json }
      },
    },
    {
      door: 'account',
      scope: 'webhooks',
      method: 'GET',
      path: `${PATH}/:id`,
      run: async (request) => ({ json: showEndpoint(room, await getEndpoint(room, ownOf(request))) }),
    },
    {
      door: 'account',
      scope: 'webhooks',
      method: 'PUT',
      path: `${PATH}/:id`,
      async run(request) {
        const terms = readChange(room, request.body())
        return { json: showEndpoint(room, await changeEndpoint(room, ownOf(request), terms)) }
      },
    },
    {
      door: 'account',
      scope: 'webhooks',
      method: 'DELETE',
      path: `${PATH}/:id`,
      async run(request) {
        await removeEndpoint(room, ownOf(request))
        return { json: { success: true, deleted: true, id: request.params.id! } }
      },
    },
  ]
}

function oneRoutes(room: WebhookRoom): readonly Route[] {
  return [
    {
      door: 'account',
      scope: 'webhooks',
      proof: true,
      method: 'POST',
      path: `${PATH}/:id/rotate`,
      async run(request) {
        const json = await request.once('webhook-endpoints.rotate', async (idempotency) => {
          const { endpoint, secret } = await rotateEndpointSecret(room, ownOf(request), idempotency)
          return { ...showEndpoint(room, endpoint), secret }
        })
        return { status: 201, json }
      },
    },
    {
      door: 'account',
      scope: 'webhooks',
      method: 'POST',
      path: `${PATH}/:id/test`,
      async run(request) {
        const { id: endpointId, accountId } = ownOf(request)
        const json = await request.once('webhook-endpoints.test', async (idempotency) => ({
          event: showEventWithDeliveries(await ping(room, { accountId, to: { endpointId }, idempotency })),
        }))
        return { status: 201, json }
      },
    },
    {
      door: 'account',
      scope: 'webhooks',
      method: 'GET',
      path: `${PATH}/:id/deliveries`,
      async run(request) {
        const { query } = request
        const limit = readWhole('limit', query.limit, { min: 1, max: LIMIT_MAX, otherwise: LIMIT_DEFAULT })
        const { id: endpointId } = await getEndpoint(room, ownOf(request))
        const found = await listLog(room.db, { endpointId, limit, after: readCursor(query.cursor) })
        const last = found.length === limit ? found.at(-1) : undefined
        return { json: { deliveries: found.map(showLogged), next_cursor: last ? toCursor(last) : null } }
      },
    },
    {
      door: 'account',
      scope: 'webhooks',
      method: 'POST',
      path: `${PATH}/:id/replay`,
      async run(request) {
        const asked = readReplay(request.body(), room.kinds)
        const json = await request.once('webhook-endpoints.replay', async (idempotency) => ({
          replay: showReplay(await beginReplay(room, ownOf(request), asked, idempotency)),
        }))
        return { status: 201, json }
      },
    },
    {
      door: 'account',
      scope: 'webhooks',
      method: 'GET',
      path: `${PATH}/:id/replays`,
      async run(request) {
        const { id } = await getEndpoint(room, ownOf(request))
        return { json: { replays: (await listReplays(room.db, id, REPLAYS_SHOWN)).map(showReplay) } }
      },
    },
  ]
}
