import { answer } from '../../../kernel/answers.ts'
import { badField } from '../../../kernel/errors.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Page } from '../../../kernel/page.ts'
import { type ApiRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { iso, view } from '../../../kernel/view.ts'
import { RequestsPage } from '../pages/requests-page.tsx'
import { type LoggedRequest, type RequestFilter, listRequests } from '../requests/store.ts'
import { listKeys } from '../store.ts'

const { text, integer, list, number, optional, orNull, record, words } = answer
const PAGE_ROWS = 50
const KEYS_MAX = 200
const FILTERS = ['outcome', 'action', 'key'] as const
const ACTION = /^[\w /:.-]{1,100}$/
const KEY_ID = /^\w{1,60}$/

interface RequestPorts {
  store: StoreCtx
  /** Writes the rows that still wait. */
  flush(): Promise<void>
}

interface Found {
  requests: LoggedRequest[]
  next: string | undefined
}

type Given = Readonly<Record<string, unknown>>

/** The page of requests made with an account's keys. */
export const requestPages = (ports: RequestPorts): readonly Page[] => [
  {
    path: '/requests',
    permission: 'keys',
    menu: { title: 'Requests', group: 'developers', order: 30, guide: 'calling#errors' },
    async render({ frame, accountId, query }) {
      const values = Object.fromEntries(FILTERS.map((name) => [name, query[name] ?? '']))
      const [keys, { requests, next }] = [
        await listKeys(ports.store.db, accountId, KEYS_MAX),
        await find(ports, accountId, query),
      ]
      const address = (before?: string) => {
        const given = Object.entries({ ...values, before: before ?? '' }).filter(([, value]) => value !== '')
        return `/dashboard/requests${given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`}`
      }
      return (
        <RequestsPage
          frame={frame}
          values={values}
          keys={keys.map(({ id, name, start }) => [id, `${name} (${start}…)`] as const)}
          requests={requests}
          first={query.before === undefined ? undefined : address()}
          next={next && address(next)}
        />
      )
    },
  },
]

const request = view<LoggedRequest>()({
  request_id: text,
  at: iso('at'),
  action: text,
  status: integer,
  code: orNull(text),
  milliseconds: [number, ({ microseconds }) => microseconds / 1_000],
  key: [orNull(text), ({ keyId }) => keyId],
  stands_for: integer,
})

/** The same for programs. */
const routes: readonly ApiRoute<RequestPorts>[] = [
  {
    tag: 'accounts',
    who: 'account',
    method: 'get',
    path: '/api/requests',
    id: 'listRequests',
    summary:
      'Requests made with the keys of the account in the last day, newest first, 50 at a time; a sample if there were many.',
    query: [
      { name: 'outcome', schema: words('well', 'failed'), description: 'Status below 400, or 400 and above.' },
      { name: 'action', schema: text, description: 'An action, or a route as in `GET /api/keys`.' },
      { name: 'key', schema: text, description: 'The id of a key.' },
      { name: 'before', schema: text, description: '`next` of the previous page.' },
    ],
    answer: record({ requests: list(request.schema), next: optional(text) }),
    scope: 'keys',
    async run(ports, { caller, query }) {
      const { requests, next } = await find(ports, caller.accountId, query)
      return { json: { requests: requests.map(request.show), ...(next !== undefined && { next }) } }
    },
  },
]

export const requestRoutes = (ports: RequestPorts) => routesOf(routes, ports)
export const describedRequestRoutes = describedOf(routes)

async function find({ store, flush }: RequestPorts, accountId: string, given: Given): Promise<Found> {
  await flush()
  const asked = { before: readCursor(given.before), limit: PAGE_ROWS + 1 }
  const found = await listRequests(store.db, readFilter(accountId, given), asked)
  const requests = found.slice(0, PAGE_ROWS)
  const last = found.length > PAGE_ROWS ? requests.at(-1) : undefined
  return { requests, next: last && `${last.at}-${last.id}` }
}

/** Refuses the first invalid parameter by its name. */
function readFilter(accountId: string, asked: Given): RequestFilter {
  const [outcome, action, keyId] = [given(asked.outcome), given(asked.action), given(asked.key)]
  if (outcome !== undefined && outcome !== 'well' && outcome !== 'failed') {
    throw badField('outcome', 'outcome must be well or failed.')
  }
  return { accountId, outcome, action: readWord('action', action, ACTION), keyId: readWord('key', keyId, KEY_ID) }
}

function readWord(name: string, value: unknown, form: RegExp): string | undefined {
  if (value === undefined || (typeof value === 'string' && form.test(value))) return value
  throw badField(name, `${name} is not one of a request.`)
}

function readCursor(value: unknown): { at: number; id: string } | undefined {
  if (given(value) === undefined) return undefined
  const [, at, id] = /^(\d{1,15})-(\w{1,60})$/.exec(typeof value === 'string' ? value : '') ?? []
  if (at === undefined) throw badField('before', 'before must be the next of an answer.')
  return { at: Number(at), id: id! }
}
