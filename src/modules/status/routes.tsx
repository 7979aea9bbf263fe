import { answer } from '../../kernel/answers.ts'
import { type OpenRoute, describedOf, routesOf } from '../../kernel/resource/routes.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Reply, Route } from '../../kernel/route.ts'
import { iso, isoOrNull, view } from '../../kernel/view.ts'
import { COMPONENTS, COMPONENT_NAMES, STATES } from './components.ts'
import { type ServiceStatus, readStatus } from './domain/status.ts'
import { StatusPage } from './pages/status-page.tsx'

/** The answer is the same for everyone and cached, so that callers cannot make the gateway read the store more often. */
const KEPT = 10_000
const HEADERS = {
  'cache-control': 'public, max-age=30',
  'content-security-policy': "default-src 'none'; style-src 'self'; img-src 'self'",
}

const { list, orNull, record, text, words } = answer

const component = view<ServiceStatus['components'][number]>()({
  component: words(...COMPONENT_NAMES),
  name: [text, ({ component }) => COMPONENTS[component]],
  state: [words(...STATES, 'unknown', 'off'), ({ state }) => state ?? 'unknown'],
  uptime_percent: [orNull(text), ({ uptime }) => uptime ?? null],
  days: [
    list(record({ day: text, state: words(...STATES, 'unknown'), uptime_percent: orNull(text) })),
    ({ days }) =>
      days.map(({ day, state, uptime }) => ({ day, state: state ?? 'unknown', uptime_percent: uptime ?? null })),
  ],
})
const incident = view<ServiceStatus['incidents'][number]>()({
  component: words(...COMPONENT_NAMES),
  state: words(...STATES, 'unknown'),
  started_at: iso('startedAt'),
  ended_at: isoOrNull('endedAt'),
})
const status = view<ServiceStatus>()({
  looked_at: isoOrNull('lookedAt'),
  components: [list(component.schema), ({ components }) => components.map(component.show)],
  incidents: [list(incident.schema), ({ incidents }) => incidents.map(incident.show)],
})

interface StatusPorts {
  read(): Promise<Replies>
}

const routes: readonly OpenRoute<StatusPorts>[] = [
  {
    tag: 'status',
    who: 'anybody',
    method: 'get',
    path: '/status.json',
    id: 'readStatus',
    summary: 'Status of the service: its components now and by day for 90 days, and incidents.',
    answer: status.schema,
    access: 'open',
    cacheable: true,
    run: async ({ read }) => (await read()).json,
  },
]
export const describedStatusRoutes = describedOf(routes)

interface StatusSite {
  store: StoreCtx
  devnet: boolean
  keepsMail: boolean
}

/** `/status` for people, `/status.json` for programs. */
export function statusRoutes({ store, devnet, keepsMail }: StatusSite): readonly Route[] {
  let known: { until: number; replies: Promise<Replies> } | undefined
  const read = (): Promise<Replies> => {
    const now = store.clock.now()
    if (!known || known.until <= now) {
      const replies = readStatus(store, keepsMail ? ['mail'] : []).then((found) => toReplies(found, devnet))
      known = { until: now + KEPT, replies }
      replies.catch(() => (known = undefined))
    }
    return known.replies
  }
  return [
    {
      method: 'GET',
      path: '/status',
      access: 'open',
      cacheable: true,
      run: async () => (await read()).page,
    },
    ...routesOf(routes, { read }),
  ]
}

type Replies = Record<'page' | 'json', Reply>

const toReplies = (read: ServiceStatus, devnet: boolean): Replies => ({
  page: { page: <StatusPage status={read} devnet={devnet} />, headers: HEADERS, isShared: true },
  json: { json: status.show(read), headers: { 'cache-control': HEADERS['cache-control'] }, isShared: true },
})
