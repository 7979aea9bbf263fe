import { answer } from '../../../kernel/answers.ts'
import { readCursor, readWhole, toCursor } from '../../../kernel/paging.ts'
import { show, shownSchema } from '../../../kernel/resource/resource.ts'
import { PAGES, type Verb, crud, describedOf, routesOf } from '../../../kernel/resource/verb.ts'
import type { AccountRequest } from '../../../kernel/route.ts'
import { DELIVERY, EVENT_WITH_DELIVERIES } from '../answers.ts'
import { ping } from '../domain/ping.ts'
import type { WebhookRoom } from '../room.ts'
import { showEventWithDeliveries } from '../shape-event.ts'
import { changeEndpoint, makeEndpoint, removeEndpoint } from './change.ts'
import { endpoint, endpoints } from './endpoint.ts'
import { readReplay } from './fields.ts'
import { listLog } from './log-store.ts'
import { beginReplay } from './replay.ts'
import { listReplays } from './replays-store.ts'
import { getEndpoint, rotateEndpointSecret } from './secret.ts'
import { showLogged, showReplay } from './shape.ts'

const { text, bool, integer, list, record, orNull, optional, words } = answer
const LIMIT = { min: 1, max: 100, otherwise: 25 }
const REPLAYS_SHOWN = 25
const SECRET = { secret: text }

const ownOf = ({ params, caller: { accountId, actor } }: AccountRequest) => ({ id: params.id!, accountId, actor })
const ofOwner = <T extends { owner: string }>({ owner: accountId, ...own }: T) => ({ ...own, accountId })

const place = { tag: endpoint.tag, scope: endpoint.scope, who: 'account' } as const
const at = (verb: string) => `${endpoint.path}/{id}/${verb}`

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

const verbs: readonly Verb<WebhookRoom>[] = [
  ...crud(endpoint, {
    words: {
      list: [
        'listWebhookEndpoints',
        'Endpoints that receive events of the account, in addition to the webhooks of checkouts.',
      ],
      create: ['createWebhookEndpoint', 'Create an endpoint, up to 20; its secret is shown only this once.'],
      get: ['getWebhookEndpoint', 'One endpoint.'],
      change: ['changeWebhookEndpoint', 'Change the fields in the body; `enabled` pauses and resumes it.'],
      delete: ['deleteWebhookEndpoint', 'Delete an endpoint. Pending deliveries to it stop.'],
    },
    proof: { create: { proof: true } },
    once: 'webhook-endpoints.create',
    refuses: [403],
    changeExample: { enabled: false },
    secret: SECRET,
    isShort: true,
    list: ({ db }, { owner }) => endpoints.listAll(db, owner),
    get: (room, own) => getEndpoint(room, ofOwner(own)),
    async create(room, by, values, idempotency) {
      const { endpoint: made, secret } = await makeEndpoint(room, ofOwner(by), values, idempotency)
      return { ...show(endpoint, room, made), secret }
    },
    change: (room, own, said) => changeEndpoint(room, ofOwner(own), said),
    remove: (room, own) => removeEndpoint(room, ofOwner(own)),
  }),
  {
    ...place,
    method: 'post',
    path: at('rotate'),
    id: 'rotateWebhookEndpointSecret',
    summary: 'Create a new secret, shown only this once. The old one also signs for 24 hours.',
    proof: true,
    once: true,
    status: 201,
    answer: shownSchema(endpoint, SECRET),
    async run(room, request) {
      const json = await request.once('webhook-endpoints.rotate', async (idempotency) => {
        const { endpoint: rotated, secret } = await rotateEndpointSecret(room, ownOf(request), idempotency)
        return { ...show(endpoint, room, rotated), secret }
      })
      return { status: 201, json }
    },
  },
  {
    ...place,
    method: 'post',
    path: at('test'),
    id: 'testWebhookEndpoint',
    summary: 'Send a test event once, and see what the endpoint answers.',
    once: true,
    status: 201,
    answer: record({ event: EVENT_WITH_DELIVERIES }),
    async run(room, request) {
      const { id: endpointId, accountId } = ownOf(request)
      const json = await request.once('webhook-endpoints.test', async (idempotency) => ({
        event: showEventWithDeliveries(await ping(room, { accountId, to: { endpointId }, idempotency })),
      }))
      return { status: 201, json }
    },
  },
  {
    ...place,
    method: 'get',
    path: at('deliveries'),
    id: 'listWebhookEndpointDeliveries',
    summary: 'Deliveries to an endpoint and their results, newest first.',
    query: PAGES,
    answer: record({
      deliveries: list(record({ ...DELIVERY.properties, event: text, type: text, subject: text })),
      next_cursor: orNull(text),
    }),
    async run(room, request) {
      const { query } = request
      const limit = readWhole('limit', query.limit, LIMIT)
      const { id: endpointId } = await getEndpoint(room, ownOf(request))
      const found = await listLog(room.db, { endpointId, limit, after: readCursor(query.cursor) })
      const last = found.length === limit ? found.at(-1) : undefined
      return { json: { deliveries: found.map(showLogged), next_cursor: last ? toCursor(last) : null } }
    },
  },
  {
    ...place,
    method: 'post',
    path: at('replay'),
    id: 'replayToWebhookEndpoint',
    summary: 'Send the events of a period again, up to 10,000, one after another.',
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
    async run(room, request) {
      const asked = readReplay(request.body(), room.kinds)
      const json = await request.once('webhook-endpoints.replay', async (idempotency) => ({
        replay: showReplay(await beginReplay(room, ownOf(request), asked, idempotency)),
      }))
      return { status: 201, json }
    },
  },
  {
    ...place,
    method: 'get',
    path: at('replays'),
    id: 'listWebhookReplays',
    summary: 'The newest replays to an endpoint, and their progress.',
    answer: record({ replays: list(REPLAY) }),
    async run(room, request) {
      const { id } = await getEndpoint(room, ownOf(request))
      return { json: { replays: (await listReplays(room.db, id, REPLAYS_SHOWN)).map(showReplay) } }
    },
  },
]

/** Endpoints of an account under `/api/webhook-endpoints`. */
export const endpointRoutes = (room: WebhookRoom) => routesOf(verbs, room)
export const describedEndpointRoutes = describedOf(verbs)
