import { AppError, overLimit } from '../../../kernel/errors.ts'
import type { LedgerNames, LedgerView } from '../../../kernel/ledger-view.ts'
import type { Page, PageRequest } from '../../../kernel/page.ts'
import type { Names } from '../../../kernel/ports.ts'
import type { Route, RouteLimit, RouteRequest, StreamEnd } from '../../../kernel/route.ts'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { EXPLORER_SCRIPTS, EXPLORER_STYLES, ExplorerPage } from '../../../web/explorer/explorer-page.tsx'
import type { Explorer } from '../../../web/explorer/parts.tsx'
import { type ExplorerPlace, showPlace } from '../../../web/explorer/show-place.tsx'

const SECTION = '/developer/ledger'
const EVENTS = '/developer/ledger/events'

/** The explorer of the development ledger, for developers. */
export function explorerPages(view: LedgerView, names: Names): readonly Page[] {
  const explorer: Explorer = { view, names: toLedgerNames(names), base: `/dashboard${SECTION}`, events: EVENTS }
  const render = async ({ frame }: PageRequest, place: ExplorerPlace) => {
    const { title, content } = await showPlace(explorer, place)
    return (
      <Frame
        {...frame}
        title={title}
        lead="Blocks on the development ledger, live."
        styles={EXPLORER_STYLES}
        scripts={EXPLORER_SCRIPTS}
      >
        {content}
      </Frame>
    )
  }
  const placed = { access: 'developer', section: SECTION, permission: 'integration' } as const
  return [
    {
      ...placed,
      path: SECTION,
      menu: { title: 'Ledger', group: 'developers', order: 101, guide: 'devnet#the-explorer' },
      render: (request) => render(request, { kind: 'blocks', query: request.query }),
    },
    {
      ...placed,
      path: `${SECTION}/blocks/:hash`,
      render: (request) => render(request, { kind: 'block', hash: request.params.hash! }),
    },
    {
      ...placed,
      path: `${SECTION}/accounts/:address`,
      render: (request) => render(request, { kind: 'account', address: request.params.address!, query: request.query }),
    },
  ]
}

/** Where links to blocks lead: the same explorer for everybody, as those of other networks are. */
const PUBLIC = '/ledger'
const LOOKS: RouteLimit = {
  bucket: 'explorer',
  perMinute: 120,
  refuse: ({ perMinute, retryAfterSeconds }) =>
    overLimit(`Limit: ${perMinute} requests a minute from one IP address.`, retryAfterSeconds),
}

function publicRoutes(view: LedgerView, names: Names): readonly Route[] {
  const explorer: Explorer = { view, names: toLedgerNames(names), base: PUBLIC, events: EVENTS }
  const page = (path: string, placeOf: (request: RouteRequest) => ExplorerPlace): Route => ({
    method: 'GET',
    path,
    access: 'open',
    limit: LOOKS,
    async run(request) {
      const place = await showPlace(explorer, placeOf(request))
      const headers = { 'x-robots-tag': 'noindex, nofollow' }
      return { status: place.status, page: <ExplorerPage place={place} base={PUBLIC} />, headers }
    },
  })
  const queryOf = ({ query }: RouteRequest) =>
    Object.fromEntries(Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
  return [
    page(PUBLIC, (request) => ({ kind: 'blocks', query: queryOf(request) })),
    page(`${PUBLIC}/blocks/:hash`, ({ params }) => ({ kind: 'block', hash: params.hash! })),
    page(`${PUBLIC}/accounts/:address`, (request) => ({
      kind: 'account',
      address: request.params.address!,
      query: queryOf(request),
    })),
  ]
}

/** Notifies the explorer's pages of a change; they then reload. */
export const explorerRoutes = (view: LedgerView, names: Names): readonly Route[] => [
  ...publicRoutes(view, names),
  {
    method: 'GET',
    path: EVENTS,
    access: 'developer',
    stream: true,
    run({ header }) {
      // Other clients would wait for the end of a stream that never ends.
      if (!/\btext\/event-stream\b/.test(header('accept') ?? '')) {
        throw new AppError('invalid_request', 'This is an event stream. Send Accept: text/event-stream.')
      }
      const open = (out: StreamEnd) => {
        let count = 0
        return view.listen(() => out.send({ id: String(++count), name: 'changed', data: '' }))
      }
      return { events: { open } }
    },
  },
]

const toLedgerNames = (names: Names): LedgerNames => ({
  nameOf(address) {
    const name = names.usernameOf(address)
    return name === undefined ? undefined : `@${name}`
  },
  find: (name) => names.resolve(name, 'read'),
})
