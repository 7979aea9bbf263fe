import { badField } from '../../../kernel/errors.ts'
import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { ping } from '../domain/ping.ts'
import { NewSecretPage } from '../pages/webhooks-page.tsx'
import type { WebhookRoom } from '../room.ts'
import { withoutQuery } from '../store.ts'
import { changeEndpoint, makeEndpoint, readChange, readNewEndpoint, removeEndpoint } from './change.ts'
import { kindBox } from './endpoint-form.tsx'
import { EndpointPage, type EndpointRow, NewEndpointPage } from './endpoint-pages.tsx'
import { readReplay } from './fields.ts'
import { listLog } from './log-store.ts'
import { beginReplay } from './replay.ts'
import { listReplays } from './replays-store.ts'
import { readCursor, toCursor } from '../../../kernel/cursor.ts'
import { getEndpoint, rotateEndpointSecret } from './secret.ts'
import { secretOf, statusOf } from './shape.ts'
import type { Endpoint } from './store.ts'
import type { WatchRoom } from '../watches/room.ts'
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

/** Endpoints: added, looked at, changed, tested, paused, taken away. */
export function endpointPages(room: WebhookRoom, watches: WatchRoom): readonly (Page | Form)[] {
  const creation = ({ frame }: PageRequest, filled: FormState) =>
    Promise.resolve(<NewEndpointPage frame={frame} filled={filled} kinds={room.kinds} />)
  return [
    {
      ...PLACED,
      degree: 'all',
      path: `${PATH}/new`,
      render: (request) => creation(request, { values: { [kindBox('*')]: 'yes' } }),
    },
    {
      ...PLACED,
      proof: true,
      path: PATH,
      again: creation,
      async run({ caller }, fields, idempotency) {
        const terms = readNewEndpoint(room, toBody(room, fields))
        const { endpoint, secret } = await makeEndpoint(room, caller, terms, idempotency)
        return { shown: { secret, id: endpoint.id } }
      },
      show: ({ frame }, shown) => <NewSecretPage frame={frame} {...toShown(shown)} />,
    },
    ...onePages(room, watches),
  ]
}

const toShown = ({ secret, id }: JsonObject) => ({ text: String(secret), back: `${HOME}/${String(id)}` })

function onePages(room: WebhookRoom, watches: WatchRoom): readonly (Page | Form)[] {
  const page = (request: PageRequest, filled?: FormState) => detail({ room, watches }, request, filled)
  const placed = { ...PLACED, again: page }
  const set =
    (isEnabled: boolean): Form['run'] =>
    async (request) => {
      const { id } = await changeEndpoint(room, ownOf(request), { isEnabled })
      return back(id, isEnabled ? 'resumed' : 'paused')
    }
  return [
    { ...PLACED, path: `${PATH}/:id`, done: DONE, render: (request) => page(request) },
    {
      ...placed,
      path: `${PATH}/:id`,
      async run(request, fields) {
        const { url, ...body } = toBody(room, fields)
        // The query of an address is not shown: who leaves the rest as it is means to keep it.
        const isSame = url === withoutQuery((await getEndpoint(room, ownOf(request))).url)
        const terms = readChange(room, isSame ? body : { ...body, url })
        return back((await changeEndpoint(room, ownOf(request), terms)).id, 'saved')
      },
    },
    { ...placed, path: `${PATH}/:id/pause`, run: set(false) },
    { ...placed, path: `${PATH}/:id/resume`, run: set(true) },
    {
      ...placed,
      proof: true,
      path: `${PATH}/:id/rotate`,
      async run(request, _fields, idempotency) {
        const { endpoint, secret } = await rotateEndpointSecret(room, ownOf(request), idempotency)
        return { shown: { secret, id: endpoint.id } }
      },
      show: ({ frame }, shown) => <NewSecretPage frame={frame} {...toShown(shown)} />,
    },
    {
      ...placed,
      path: `${PATH}/:id/test`,
      async run(request, _fields, idempotency) {
        const { id: endpointId, accountId } = ownOf(request)
        const { id } = await ping(room, { accountId, to: { endpointId }, idempotency })
        return { to: `/dashboard/webhooks/events/${id}?done=sent` }
      },
    },
    {
      ...placed,
      path: `${PATH}/:id/replay`,
      async run(request, fields, idempotency) {
        const asked = { from_unix: toUnix(fields.get('from_unix')), missed: fields.get('missed') }
        await beginReplay(room, ownOf(request), readReplay(asked, room.kinds), idempotency)
        return back(request.params.id!, 'replay')
      },
    },
    {
      ...placed,
      path: `${PATH}/:id/delete`,
      async run(request) {
        await removeEndpoint(room, ownOf(request))
        return { to: '/dashboard/webhooks?done=deleted' }
      },
    },
    ...watchForms(watches, placed, { path: PATH, home: HOME }),
  ]
}

async function detail(
  { room, watches }: { room: WebhookRoom; watches: WatchRoom },
  request: PageRequest,
  filled?: FormState,
) {
  const { frame, query } = request
  const endpoint = await getEndpoint(room, ownOf(request))
  const { id: endpointId } = endpoint
  const found = await listLog(room.db, { endpointId, limit: LOG_ROWS + 1, after: readCursor(query.cursor) })
  const log = found.slice(0, LOG_ROWS)
  const at = `${HOME}/${endpointId}`
  return (
    <EndpointPage
      frame={frame}
      endpoint={toRow(room, endpoint)}
      filled={toFilled(endpoint, filled)}
      kinds={room.kinds}
      log={log}
      replays={await listReplays(room.db, endpointId, REPLAYS_SHOWN)}
      watched={await readWatchedPart(watches, { own: ownOf(request), at, cursor: query.watched })}
      first={query.cursor === undefined ? undefined : at}
      next={found.length > LOG_ROWS ? `${at}?cursor=${toCursor(log.at(-1)!)}` : undefined}
    />
  )
}

/** A form that was refused shows what was typed; the other one on the page shows what there is. */
function toFilled(endpoint: Endpoint, filled: FormState = { values: {} }): FormState {
  return 'url' in filled.values ? filled : { ...filled, values: { ...toValues(endpoint), ...filled.values } }
}

export function toRow(room: WebhookRoom, endpoint: Endpoint): EndpointRow {
  const { last4, previousUntil } = secretOf(room, endpoint)
  return { ...endpoint, url: withoutQuery(endpoint.url), status: statusOf(endpoint), last4, previousUntil }
}

const toValues = ({ url, description, events, metadata, madeWith }: Endpoint): Record<string, string> => ({
  url: withoutQuery(url),
  description: description ?? '',
  made_with: madeWith ?? '',
  filter: Object.entries(metadata ?? {})
    .map(([name, value]) => `${name} = ${String(value)}`)
    .join('\n'),
  ...Object.fromEntries(events.map((kind) => [kindBox(kind), 'yes'])),
})

function toBody(room: WebhookRoom, fields: FormFields): JsonObject {
  const metadata = readLines(fields.get('filter'))
  return {
    url: fields.get('url'),
    description: fields.get('description'),
    events: ['*', ...room.kinds].filter((kind) => fields.get(kindBox(kind)) !== ''),
    filter: { metadata, made_with: fields.get('made_with') },
  }
}

function readLines(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=')
      if (at < 1) throw badField('filter', `Enter name = value, not “${line.slice(0, 40)}”.`)
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

/** The beginning of a day. */
function toUnix(date: string): string {
  const at = Date.parse(date)
  return Number.isNaN(at) ? date : String(Math.floor(at / 1000))
}
