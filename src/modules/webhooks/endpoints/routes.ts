import { answer } from '../../../kernel/answers.ts'
import { readCursor, readWhole, toCursor } from '../../../kernel/paging.ts'
import { show, shownSchema } from '../../../kernel/resource/resource.ts'
import { PAGES, type ApiRoute, crud, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import type { AccountRequest } from '../../../kernel/route.ts'
import { iso, isoOrNull, view } from '../../../kernel/view.ts'
import { delivery, eventWithDeliveries } from '../answers.ts'
import { ping } from '../domain/ping.ts'
import type { WebhookContext } from '../context.ts'
import { changeEndpoint, makeEndpoint, removeEndpoint } from './change.ts'
import { endpoint, endpoints } from './endpoint.ts'
import { readReplay } from './fields.ts'
import { listLog, type LoggedDelivery } from './log-store.ts'
import { beginReplay } from './replay.ts'
import { listReplays, type Replay } from './replays-store.ts'
import { getEndpoint, rotateEndpointSecret } from './secret.ts'

const { text, bool, integer, list, record, orNull, optional, words } = answer
const LIMIT = { min: 1, max: 100, otherwise: 25 }
const REPLAYS_SHOWN = 25
const SECRET = { secret: text }

const ownOf = ({ params, caller: { accountId, actor } }: AccountRequest) => ({ id: params.id!, accountId, actor })
const ofOwner = <T extends { owner: string }>({ owner: accountId, ...own }: T) => ({ ...own, accountId })

const place = { tag: endpoint.tag, scope: endpoint.scope, who: 'account' } as const
const at = (action: string) => `${endpoint.path}/{id}/${action}`

const replay = view<Replay>()({
  id: text,
  endpoint: [text, ({ endpointId }) => endpointId],
  events: list(text),
  missed: [bool, ({ missedOnly }) => missedOnly],
  queued: integer,
  state: words('running', 'done', 'stopped'),
  created_at: iso('createdAt'),
  finished_at: isoOrNull('finishedAt'),
})

const loggedDelivery = view<LoggedDelivery>()({
  ...delivery.members,
  event: [text, ({ eventId }) => eventId],
  type: text,
  subject: text,
})

const routes: readonly ApiRoute<WebhookContext>[] = [
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
    get: (context, own) => getEndpoint(context, ofOwner(own)),
    async create(context, by, values, idempotency) {
      const { endpoint: made, secret } = await makeEndpoint(context, ofOwner(by), values, idempotency)
      return { ...show(endpoint, context, made), secret }
    },
    change: (context, own, said) => changeEndpoint(context, ofOwner(own), said),
    remove: (context, own) => removeEndpoint(context, ofOwner(own)),
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
    async run(context, request) {
      const json = await request.once('webhook-endpoints.rotate', async (idempotency) => {
        const { endpoint: rotated, secret } = await rotateEndpointSecret(context, ownOf(request), idempotency)
        return { ...show(endpoint, context, rotated), secret }
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
    answer: record({ event: eventWithDeliveries.schema }),
    async run(context, request) {
      const { id: endpointId, accountId } = ownOf(request)
      const json = await request.once('webhook-endpoints.test', async (idempotency) => ({
        event: eventWithDeliveries.show(await ping(context, { accountId, to: { endpointId }, idempotency })),
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
      deliveries: list(loggedDelivery.schema),
      next_cursor: orNull(text),
    }),
    async run(context, request) {
      const { query } = request
      const limit = readWhole('limit', query.limit, LIMIT)
      const { id: endpointId } = await getEndpoint(context, ownOf(request))
      const found = await listLog(context.db, { endpointId, limit, after: readCursor(query.cursor) })
      const last = found.length === limit ? found.at(-1) : undefined
      return { json: { deliveries: found.map(loggedDelivery.show), next_cursor: last ? toCursor(last) : null } }
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
    answer: record({ replay: replay.schema }),
    refuses: [403, 409],
    async run(context, request) {
      const asked = readReplay(request.body(), context.kinds)
      const json = await request.once('webhook-endpoints.replay', async (idempotency) => ({
        replay: replay.show(await beginReplay(context, ownOf(request), asked, idempotency)),
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
    answer: record({ replays: list(replay.schema) }),
    async run(context, request) {
      const { id } = await getEndpoint(context, ownOf(request))
      return { json: { replays: (await listReplays(context.db, id, REPLAYS_SHOWN)).map(replay.show) } }
    },
  },
]

/** Endpoints of an account under `/api/webhook-endpoints`. */
export const endpointRoutes = (context: WebhookContext) => routesOf(routes, context)
export const describedEndpointRoutes = describedOf(routes)
