import { answer } from '../../kernel/answers.ts'
import { type OpenRoute, describedOf, routesOf } from '../../kernel/resource/routes.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Reply, Route } from '../../kernel/route.ts'
import type { JsonObject } from '../../kernel/shape.ts'
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
const STATE = words(...STATES, 'unknown')
const STATE_NOW = words(...STATES, 'unknown', 'off')
const COMPONENT = words(...COMPONENT_NAMES)

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
    answer: record({
      looked_at: orNull(text),
      components: list(
        record({
          component: COMPONENT,
          name: text,
          state: STATE_NOW,
          uptime_percent: orNull(text),
          days: list(record({ day: text, state: STATE, uptime_percent: orNull(text) })),
        }),
      ),
      incidents: list(record({ component: COMPONENT, state: STATE, started_at: text, ended_at: orNull(text) })),
    }),
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
      const replies = readStatus(store, keepsMail ? ['mail'] : []).then((status) => toReplies(status, devnet))
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

const toReplies = (status: ServiceStatus, devnet: boolean): Replies => ({
  page: { page: <StatusPage status={status} devnet={devnet} />, headers: HEADERS, isShared: true },
  json: { json: toJson(status), headers: { 'cache-control': HEADERS['cache-control'] }, isShared: true },
})

const toTime = (milliseconds: number | null | undefined) =>
  milliseconds === null || milliseconds === undefined ? null : new Date(milliseconds).toISOString()

const toJson = ({ lookedAt, components, incidents }: ServiceStatus): JsonObject => ({
  looked_at: toTime(lookedAt),
  components: components.map(({ component, state, uptime, days }) => ({
    component,
    name: COMPONENTS[component],
    state: state ?? 'unknown',
    uptime_percent: uptime ?? null,
    days: days.map((day) => ({ day: day.day, state: day.state ?? 'unknown', uptime_percent: day.uptime ?? null })),
  })),
  incidents: incidents.map(({ component, state, startedAt, endedAt }) => ({
    component,
    state,
    started_at: toTime(startedAt),
    ended_at: toTime(endedAt),
  })),
})
