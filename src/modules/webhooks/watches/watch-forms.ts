import type { Form, PageRequest } from '../../../kernel/page.ts'
import { readNew } from '../../../kernel/resource/read.ts'
import { formBody } from '../../../web/dashboard/resource-form.tsx'
import { addWatches, removeWatches } from './change.ts'
import { readWatchCursor, toWatchCursor } from './routes.ts'
import type { WatchContext } from './context.ts'
import { countTroubled, countWatches, listWatches } from './store.ts'
import { watch } from './watch.ts'
import type { WatchedPart } from './watch-card.tsx'

const ROWS = 25

/** Reads what an endpoint's page shows of its addresses. */
export async function readWatchedPart(
  context: WatchContext,
  { own, at, cursor }: { own: { id: string; accountId: string }; at: string; cursor: unknown },
): Promise<WatchedPart> {
  const { id: endpointId, accountId } = own
  const after = readWatchCursor(cursor)
  const found = await listWatches(context.db, { accountId, endpointId, after, limit: ROWS + 1 })
  const watches = found.slice(0, ROWS)
  return {
    watches,
    count: await countWatches(context.db, { accountId, endpointId }),
    total: await countWatches(context.db, { accountId }),
    max: context.addressesMax,
    troubled: await countTroubled(context.db, { accountId, endpointId }),
    first: after && at,
    next: found.length > ROWS ? `${at}?watched=${toWatchCursor(watches.at(-1)!)}` : undefined,
  }
}

type Placed = Omit<Form, 'path' | 'run'>

/** Forms that add a list of addresses, and remove one. */
export function watchForms(
  context: WatchContext,
  placed: Placed,
  { path, home }: { path: string; home: string },
): Form[] {
  const asked = ({ params, accountId, caller: { actor } }: PageRequest, addresses: unknown) => ({
    accountId,
    actor,
    ...readNew(watch, undefined, { addresses, endpoint: params.id! }),
  })
  return [
    {
      ...placed,
      path: `${path}/:id/watch`,
      async run(request, fields, idempotency) {
        const { addresses } = formBody(watch, undefined, 'create', fields)
        await addWatches(context, asked(request, addresses), idempotency)
        return { to: `${home}/${request.params.id!}?done=watched` }
      },
    },
    {
      ...placed,
      path: `${path}/:id/unwatch`,
      async run(request, fields) {
        await removeWatches(context, asked(request, [fields.get('watched')]))
        return { to: `${home}/${request.params.id!}?done=unwatched` }
      },
    },
  ]
}
