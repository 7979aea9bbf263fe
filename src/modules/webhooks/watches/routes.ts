import { answer } from '../../../kernel/answers.ts'
import { badField } from '../../../kernel/errors.ts'
import { readWhole } from '../../../kernel/paging.ts'
import { readNew } from '../../../kernel/resource/read.ts'
import { exampleOf, show, shownSchema, takenSchema } from '../../../kernel/resource/resource.ts'
import { type ApiRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import type { AccountRequest } from '../../../kernel/route.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { getEndpoint } from '../endpoints/secret.ts'
import { addWatches, removeWatches, showAdded } from './change.ts'
import type { WatchContext } from './context.ts'
import { type WatchPage, countTroubled, countWatches, listWatches } from './store.ts'
import { readEndpointId, watch } from './watch.ts'

const { text, bool, integer, list, record, orNull } = answer
const BODY_BYTES_MAX = 256 * 1024
const LIMIT = { min: 1, max: 1_000, otherwise: 100 }

export const ADDED = record({ endpoint: text, added: integer, watched: integer, total: integer, cursor: text })
const place = { path: '/api/watches', tag: 'webhooks', who: 'account', scope: 'webhooks' } as const
const body = { schema: takenSchema(watch, 'create'), example: exampleOf(watch), isOfResource: true } as const

const askedOf = ({ caller: { accountId, actor }, body }: AccountRequest) => ({
  accountId,
  actor,
  ...readNew(watch, undefined, body()),
})

const routes: readonly ApiRoute<WatchContext>[] = [
  {
    ...place,
    method: 'get',
    id: 'listWatches',
    summary: 'Addresses that your endpoints watch, ordered by endpoint and address.',
    query: [
      { name: 'endpoint', schema: text, description: 'Of this endpoint only.' },
      { name: 'limit', schema: integer, description: 'Up to 1,000; 100 by default.' },
      { name: 'cursor', schema: text, description: '`next_cursor` of the previous page.' },
    ],
    answer: record({
      watches: list(shownSchema(watch)),
      total: integer,
      troubled: integer,
      next_cursor: orNull(text),
    }),
    refuses: [404],
    async run(context, { caller: { accountId }, query }) {
      const endpointId = given(query.endpoint) === undefined ? undefined : readEndpointId('endpoint', query.endpoint)
      const after = readWatchCursor(query.cursor)
      const limit = readWhole('limit', query.limit, LIMIT)
      if (endpointId !== undefined) await getEndpoint(context, { id: endpointId, accountId })
      const found = await listWatches(context.db, { accountId, endpointId, after, limit: limit + 1 })
      const page = found.slice(0, limit)
      const next = found.length > limit ? toWatchCursor(page.at(-1)!) : null
      const total = await countWatches(context.db, { accountId, endpointId })
      const troubled = await countTroubled(context.db, { accountId, endpointId })
      const watches = page.map((each) => show(watch, undefined, each))
      return { json: { watches, total, troubled, next_cursor: next } }
    },
  },
  {
    ...place,
    method: 'post',
    id: 'addWatches',
    summary: 'Notify an endpoint of what up to 1,000 addresses receive and send, from now on.',
    body,
    bodyBytesMax: BODY_BYTES_MAX,
    once: true,
    status: 201,
    answer: ADDED,
    refuses: [403, 404, 409],
    async run(context, request) {
      const asked = askedOf(request)
      const json = await request.once('watches.add', async (idempotency) =>
        showAdded(await addWatches(context, asked, idempotency)),
      )
      return { status: 201, json }
    },
  },
  {
    ...place,
    method: 'delete',
    id: 'removeWatches',
    summary: 'Stop notifying an endpoint about up to 1,000 addresses.',
    body,
    bodyBytesMax: BODY_BYTES_MAX,
    answer: record({ success: bool, removed: integer, watched: integer }),
    refuses: [404],
    async run(context, request) {
      const { removed, watched } = await removeWatches(context, askedOf(request))
      return { json: { success: true, removed, watched } }
    },
  },
]

/** Watched addresses of an account's endpoints, under `/api/watches`. */
export const watchRoutes = (context: WatchContext) => routesOf(routes, context)
export const describedWatchRoutes = describedOf(routes)

export const toWatchCursor = ({ endpointId, address }: { endpointId: string; address: string }) =>
  `${endpointId}.${address}`

export function readWatchCursor(value: unknown): WatchPage['after'] {
  if (value === undefined || value === '') return undefined
  const [, endpointId, address] = (typeof value === 'string' && /^(\w{1,60})\.(nano_\w{60})$/.exec(value)) || []
  if (endpointId === undefined) throw badField('cursor', 'cursor must be the next_cursor of an answer.')
  return { endpointId, address: address! }
}
