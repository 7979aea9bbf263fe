import type { Route } from '../../../kernel/route.ts'
import { getEndpoint } from '../endpoints/secret.ts'
import { addWatches, removeWatches } from './change.ts'
import { readWatched, readWatchQuery, toWatchCursor } from './fields.ts'
import type { WatchRoom } from './room.ts'
import { showAdded, showWatch } from './shape.ts'
import { countTroubled, countWatches, listWatches } from './store.ts'

const PATH = '/api/watches'
const BODY_BYTES_MAX = 256 * 1024

/** Addresses that endpoints of an account are told about, under `/api/watches`. */
export const watchRoutes = (room: WatchRoom): readonly Route[] => [
  {
    door: 'account',
    scope: 'webhooks',
    method: 'GET',
    path: PATH,
    async run({ caller: { accountId }, query }) {
      const { endpointId, after, limit } = readWatchQuery(query)
      if (endpointId !== undefined) await getEndpoint(room, { id: endpointId, accountId })
      const found = await listWatches(room.db, { accountId, endpointId, after, limit: limit + 1 })
      const page = found.slice(0, limit)
      const next = found.length > limit ? toWatchCursor(page.at(-1)!) : null
      const total = await countWatches(room.db, { accountId, endpointId })
      const troubled = await countTroubled(room.db, { accountId, endpointId })
      return { json: { watches: page.map(showWatch), total, troubled, next_cursor: next } }
    },
  },
  {
    door: 'account',
    scope: 'webhooks',
    method: 'POST',
    path: PATH,
    bodyBytesMax: BODY_BYTES_MAX,
    async run({ caller: { accountId, actor }, body, once }) {
      const asked = { accountId, actor, ...readWatched(body()) }
      const json = await once('watches.add', async (idempotency) =>
        showAdded(await addWatches(room, asked, idempotency)),
      )
      return { status: 201, json }
    },
  },
  {
    door: 'account',
    scope: 'webhooks',
    method: 'DELETE',
    path: PATH,
    bodyBytesMax: BODY_BYTES_MAX,
    async run({ caller: { accountId, actor }, body }) {
      const { removed, watched } = await removeWatches(room, { accountId, actor, ...readWatched(body()) })
      return { json: { success: true, removed, watched } }
    },
  },
]
