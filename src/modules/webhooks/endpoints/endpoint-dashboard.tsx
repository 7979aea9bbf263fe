import { dayOf, isDate } from '../../../kernel/calendar.ts'
import { badField } from '../../../kernel/errors.ts'
import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { readChange, readNew } from '../../../kernel/resource/read.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { boxOf, formBody, formState } from '../../../web/dashboard/resource-form.tsx'
import { ping } from '../domain/ping.ts'
import { NewSecretPage } from '../pages/webhooks-page.tsx'
import type { WebhookContext } from '../context.ts'
import { withoutQuery } from '../store.ts'
import { changeEndpoint, makeEndpoint, removeEndpoint } from './change.ts'
import { EVERY_KIND, type Endpoint, endpoint, statusOf } from './endpoint.ts'
import { EndpointPage, type EndpointRow, NewEndpointPage } from './endpoint-pages.tsx'
import { readReplay } from './fields.ts'
import { listLog } from './log-store.ts'
import { beginReplay } from './replay.ts'
import { listReplays } from './replays-store.ts'
import { readCursor, toCursor } from '../../../kernel/paging.ts'
import { getEndpoint, rotateEndpointSecret } from './secret.ts'
import { last4Of, untilOf } from './sealed.ts'
import type { WatchContext } from '../watches/context.ts'
import { readWatchedPart, watchForms } from '../watches/watch-forms.ts'

const PATH = '/webhooks/endpoints'
const HOME = `/dashboard${PATH}`
const LOG_ROWS = 25
const REPLAYS_SHOWN = 5
const PLACED = { permission: 'webhooks', section: '/webhooks' } as const
const DONE = {
  saved: 'Endpoint saved.',
  paused: 'Endpoint paused.',
  resumed: 'Endpoint enabled.',
  replay: 'Replay started.',
  watched: 'Addresses added.',
  unwatched: 'Address removed.',
}

const ownOf = ({ params, accountId, caller: { actor } }: PageRequest) => ({ id: params.id!, accountId, actor })
const back = (id: string, word: keyof typeof DONE) => ({ to: `${HOME}/${id}?done=${word}` })

/** Dashboard pages that add, show, change, test, pause and remove endpoints. */
export function endpointPages(context: WebhookContext, watches: WatchContext): readonly (Page | Form)[] {
  const creation = ({ frame }: PageRequest, filled: FormState) =>
    Promise.resolve(<NewEndpointPage frame={frame} filled={filled} rules={endpoint.rules(context)} />)
  return [
    {
      ...PLACED,
      degree: 'all',
      path: `${PATH}/new`,
      render: (request) => creation(request, { values: { [boxOf('events', EVERY_KIND)]: 'yes' } }),
    },
    {
      ...PLACED,
      proof: true,
      path: PATH,
      again: creation,
      async run({ caller }, fields, idempotency) {
        const values = readNew(endpoint, context, formBody(endpoint, context, 'create', fields))
        const { endpoint: made, secret } = await makeEndpoint(context, caller, values, idempotency)
        return { shown: { secret, id: made.id } }
      },
      show: ({ frame }, shown) => <NewSecretPage frame={frame} {...toShown(shown)} />,
    },
    ...onePages(context, watches),
  ]
}

const toShown = ({ secret, id }: JsonObject) => ({ text: String(secret), back: `${HOME}/${String(id)}` })

function onePages(context: WebhookContext, watches: WatchContext): readonly (Page | Form)[] {
  const page = (request: PageRequest, filled?: FormState) => detail({ context, watches }, request, filled)
  const placed = { ...PLACED, again: page }
  const set =
    (isEnabled: boolean): Form['run'] =>
    async (request) => {
      const { id } = await changeEndpoint(context, ownOf(request), () => ({ isEnabled }))
      return back(id, isEnabled ? 'resumed' : 'paused')
    }
  return [
    { ...PLACED, path: `${PATH}/:id`, done: DONE, render: (request) => page(request) },
    {
      ...placed,
      path: `${PATH}/:id`,
      async run(request, fields) {
        const body = formBody(endpoint, context, 'change', fields)
        const changed = await changeEndpoint(context, ownOf(request), (held) =>
          readChange(endpoint, context, body, held),
        )
        return back(changed.id, 'saved')
      },
    },
    { ...placed, path: `${PATH}/:id/pause`, run: set(false) },
    { ...placed, path: `${PATH}/:id/resume`, run: set(true) },
    {
      ...placed,
      proof: true,
      path: `${PATH}/:id/rotate`,
      async run(request, _fields, idempotency) {
        const { endpoint: rotated, secret } = await rotateEndpointSecret(context, ownOf(request), idempotency)
        return { shown: { secret, id: rotated.id } }
      },
      show: ({ frame }, shown) => <NewSecretPage frame={frame} {...toShown(shown)} />,
    },
    {
      ...placed,
      path: `${PATH}/:id/test`,
      async run(request, _fields, idempotency) {
        const { id: endpointId, accountId } = ownOf(request)
        const { id } = await ping(context, { accountId, to: { endpointId }, idempotency })
        return { to: `/dashboard/webhooks/events/${id}?done=sent` }
      },
    },
    {
      ...placed,
      path: `${PATH}/:id/replay`,
      async run(request, fields, idempotency) {
        const asked = {
          from_unix: toUnix(fields.get('from_unix'), request.frame.shop.timeZone),
          missed: fields.get('missed'),
        }
        await beginReplay(context, ownOf(request), readReplay(asked, context.kinds), idempotency)
        return back(request.params.id!, 'replay')
      },
    },
    {
      ...placed,
      path: `${PATH}/:id/delete`,
      async run(request) {
        await removeEndpoint(context, ownOf(request))
        return { to: '/dashboard/webhooks?done=deleted' }
      },
    },
    ...watchForms(watches, placed, { path: PATH, home: HOME }),
  ]
}

async function detail(
  { context, watches }: { context: WebhookContext; watches: WatchContext },
  request: PageRequest,
  filled?: FormState,
) {
  const { frame, query } = request
  const held = await getEndpoint(context, ownOf(request))
  const { id: endpointId } = held
  const found = await listLog(context.db, { endpointId, limit: LOG_ROWS + 1, after: readCursor(query.cursor) })
  const log = found.slice(0, LOG_ROWS)
  const at = `${HOME}/${endpointId}`
  return (
    <EndpointPage
      frame={frame}
      endpoint={toRow(context, held)}
      filled={formState(endpoint, context, held, filled)}
      rules={endpoint.rules(context)}
      log={log}
      replays={await listReplays(context.db, endpointId, REPLAYS_SHOWN)}
      watched={await readWatchedPart(watches, { own: ownOf(request), at, cursor: query.watched })}
      first={query.cursor === undefined ? undefined : at}
      next={found.length > LOG_ROWS ? `${at}?cursor=${toCursor(log.at(-1)!)}` : undefined}
    />
  )
}

export function toRow(context: WebhookContext, held: Endpoint): EndpointRow {
  const [last4, previousUntil] = [last4Of(context, held), untilOf(context, held)]
  return { ...held, url: withoutQuery(held.url), status: statusOf(held), last4, previousUntil }
}

/** The beginning of a day, as unix seconds. */
function toUnix(date: string, timeZone: string): string {
  if (!isDate(date)) throw badField('from_unix', 'Choose a day.')
  return String(Math.floor(dayOf(timeZone, date).from / 1000))
}
